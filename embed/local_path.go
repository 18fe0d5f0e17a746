package embed

import "unicode/utf8"

// path is the run of words joined by '/', '.' or '-' that is being read. Only
// hashes are kept: of all its words, and of those after the last '/'.
type path struct {
	whole, base  uint64
	words, steps int // of the whole; of the base name
	slash, dot   bool
	bad          bool // holds a word that is left out
}

func (p *path) add(word uint64) {
	if p.words == 0 {
		p.whole, p.base = start(seedPath), start(seedPath)
	}
	p.whole, p.base = chain(p.whole, word), chain(p.base, word)
	p.words++
	p.steps++
}

func (p *path) skip() { p.bad = true }

func (p *path) join(c byte) {
	switch c {
	case '/':
		p.slash, p.dot = true, false
		p.base, p.steps = start(seedPath), 0
	case '.':
		p.dot = true
	}
}

// endPath counts the names of the path just read: the whole and the base
// name, where they are more than a word. Words with hyphens are no path.
func (s *sketch) endPath() {
	p := s.path
	if p.words == 0 && !p.bad {
		return
	}
	s.path = path{}
	if p.words < 2 || p.words > s.model.PathWords || p.bad {
		return
	}
	if p.dot && p.steps > 1 {
		s.add(finish(p.base), s.model.Path)
	}
	if p.slash {
		s.add(finish(p.whole), s.model.Path)
	}
}

func isJoint(c byte) bool { return c == '/' || c == '.' || c == '-' }

func startsWord(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return kindOf(r) == spaced
}
