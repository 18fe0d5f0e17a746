package embed

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"agentflow/internal/words"
)

// scan counts the features of a folded text: words, parts of identifiers,
// paths, bigrams of scripts without spaces, and n-grams of words.
func (s *sketch) scan(text string) {
	for run := range words.Runs(text) {
		if run.Unspaced {
			s.bigrams(text[run.From:run.To])
		} else if s.addWord(text[run.From:run.To]); run.Joint != 0 {
			s.path.join(run.Joint)
			continue
		}
		s.endPath()
	}
}

// addWord counts a word. An identifier is counted as a whole and by its parts.
func (s *sketch) addWord(w string) {
	w = strings.Trim(w, "_")
	if w == "" || len(w) > s.model.WordRunes && utf8.RuneCountInString(w) > s.model.WordRunes {
		s.path.bad = true
		return
	}
	whole := finish(lowered(w))
	s.path.add(whole)
	parts := words.Parts(w)
	if len(parts) == 0 {
		s.plain(w)
		return
	}
	s.add(whole, s.model.Identifier)
	for _, part := range parts {
		s.plain(part)
	}
}

// lowered returns the hash of a word in lower case.
func lowered(w string) uint64 {
	h := start(seedWord)
	for _, r := range w {
		h = step(h, unicode.ToLower(r))
	}
	return h
}

// plain counts a word without inner structure, and its n-grams. It ignores
// function words. For a word with a digit, which is a number, a version or a
// hash, it counts no n-grams, because similar spelling does not mean similarity
// there.
func (s *sketch) plain(w string) {
	h := finish(lowered(w))
	if stopwords[h] {
		return
	}
	s.add(h, s.model.Word)
	if !strings.ContainsFunc(w, unicode.IsNumber) {
		s.grams(w)
	}
}

// grams counts the n-grams of a word between boundary marks.
func (s *sketch) grams(w string) {
	s.low = append(s.low[:0], '<')
	for _, r := range w {
		s.low = append(s.low, unicode.ToLower(r))
	}
	s.low = append(s.low, '>')
	for i := range s.low {
		h := start(seedGram)
		for n, r := range s.low[i:min(i+s.model.MaxGram, len(s.low))] {
			h = step(h, r)
			if n+1 >= s.model.MinGram {
				s.add(finish(h), s.model.Gram[n+1])
			}
		}
	}
}

// bigrams counts each two neighbouring characters of a run, or a single
// character.
func (s *sketch) bigrams(run string) {
	before, n := rune(0), 0
	for _, r := range run {
		if n++; n > 1 {
			s.add(finish(step(step(start(seedBigram), before), r)), s.model.Bigram)
		}
		before = r
	}
	if n == 1 {
		s.add(finish(step(start(seedBigram), before)), s.model.Bigram)
	}
}

// path is the current run of words joined by '/', '.' or '-'. It stores only
// hashes: of all its words, and of those after the last '/'.
type path struct {
	whole, base  uint64
	words, steps int // words of the whole, and of the base name
	slash, dot   bool
	bad          bool // a word was left out
}

func (p *path) add(word uint64) {
	if p.words == 0 {
		p.whole, p.base = start(seedPath), start(seedPath)
	}
	p.whole, p.base = chain(p.whole, word), chain(p.base, word)
	p.words++
	p.steps++
}

func (p *path) join(c byte) {
	switch c {
	case '/':
		p.slash, p.dot = true, false
		p.base, p.steps = start(seedPath), 0
	case '.':
		p.dot = true
	}
}

// endPath counts the names of the finished path: the whole and the base name,
// if they have more than one word. Words with hyphens are not a path.
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

// Hashes are FNV-1a over characters instead of bytes, followed by the finalizer
// of MurmurHash3 (fmix64), so that every bit depends on every character. The
// constants are fixed: unlike with hash/maphash, hashes are the same in every
// process.
const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// Seeds distinguish features of different kinds.
const (
	seedWord uint64 = iota + 1
	seedGram
	seedBigram
	seedPath
)

func start(seed uint64) uint64 { return (fnvOffset ^ seed) * fnvPrime }

func step(h uint64, r rune) uint64 { return (h ^ uint64(r)) * fnvPrime }

// chain adds the hash of a word to the hash of a path.
func chain(h, word uint64) uint64 { return finish(h*fnvPrime ^ word) }

func finish(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

var stopwords = func() map[uint64]bool {
	m := make(map[uint64]bool, 200)
	for w := range strings.FieldsSeq(words.Stopwords) {
		m[finish(lowered(w))] = true
	}
	return m
}()
