package embed

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"agentflow/internal/words"
)

// scan counts the features of a folded text: words, the parts of identifiers,
// paths, bigrams of scripts without spaces, and n-grams of words.
func (s *sketch) scan(text string) {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch kindOf(r) {
		case unspaced:
			i = s.read(text, i, unspaced)
			s.bigrams()
		case spaced:
			i = s.read(text, i, spaced)
			s.addWord()
			if i+1 < len(text) && isJoint(text[i]) && startsWord(text[i+1:]) {
				s.path.join(text[i])
				i++
				continue
			}
		default:
			i += n
		}
		s.endPath()
	}
}

// read takes the run of one kind that begins at i into s.word and returns
// where it ends.
func (s *sketch) read(text string, i int, k kind) int {
	s.word = s.word[:0]
	for i < len(text) {
		r, n := utf8.DecodeRuneInString(text[i:])
		if kindOf(r) != k {
			break
		}
		s.word = append(s.word, r)
		i += n
	}
	return i
}

// addWord counts the word just read: an identifier as a whole and by its
// parts, another by itself.
func (s *sketch) addWord() {
	w := trim(s.word)
	if len(w) == 0 || len(w) > s.model.WordRunes {
		s.path.skip()
		return
	}
	whole := start(seedWord)
	for _, r := range w {
		whole = step(whole, unicode.ToLower(r))
	}
	s.path.add(finish(whole))
	end := nextPart(w, 0)
	if end == len(w) {
		s.plain(w)
		return
	}
	s.add(finish(whole), s.model.Identifier)
	for at := 0; at < len(w); end = nextPart(w, at) {
		if part := trim(w[at:end]); len(part) > 0 {
			s.plain(part)
		}
		at = end
	}
}

// plain counts a word without inner structure, and its n-grams. Function
// words say nothing. A word with a digit is a number, a version or a hash:
// what is spelled alike is not alike there.
func (s *sketch) plain(w []rune) {
	low := append(s.low[:0], '<')
	h, digit := start(seedWord), false
	for _, r := range w {
		r = unicode.ToLower(r)
		h = step(h, r)
		digit = digit || unicode.IsNumber(r)
		low = append(low, r)
	}
	s.low = append(low, '>')
	h = finish(h)
	if stopwords[h] {
		return
	}
	s.add(h, s.model.Word)
	if !digit {
		s.grams()
	}
}

// grams counts the n-grams of s.low.
func (s *sketch) grams() {
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

// bigrams counts each two neighbouring characters of the run just read; one
// alone stands for itself.
func (s *sketch) bigrams() {
	if len(s.word) == 1 {
		s.add(finish(step(start(seedBigram), s.word[0])), s.model.Bigram)
	}
	for i := 1; i < len(s.word); i++ {
		h := step(step(start(seedBigram), s.word[i-1]), s.word[i])
		s.add(finish(h), s.model.Bigram)
	}
}

// nextPart returns where the part of an identifier that begins at i ends: at
// '_', before a capital after a small letter, and before the last capital of
// a run that a small letter ends (HTTPServer: HTTP, Server).
func nextPart(w []rune, i int) int {
	for i < len(w) && w[i] == '_' {
		i++
	}
	for j := i + 1; j < len(w); j++ {
		switch {
		case w[j] == '_',
			unicode.IsUpper(w[j]) && unicode.IsLower(w[j-1]),
			j+1 < len(w) && unicode.IsUpper(w[j-1]) && unicode.IsUpper(w[j]) && unicode.IsLower(w[j+1]):
			return j
		}
	}
	return len(w)
}

func trim(w []rune) []rune {
	for len(w) > 0 && w[0] == '_' {
		w = w[1:]
	}
	for len(w) > 0 && w[len(w)-1] == '_' {
		w = w[:len(w)-1]
	}
	return w
}

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

// Hashes are FNV-1a over characters instead of bytes, then mixed as
// MurmurHash3 ends (fmix64), so that every bit depends on every character.
// Fixed constants: unlike hash/maphash they are the same in every process.
const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// Seeds keep features of different sorts apart.
const (
	seedWord uint64 = iota + 1
	seedGram
	seedBigram
	seedPath
)

func start(seed uint64) uint64 { return (fnvOffset ^ seed) * fnvPrime }

func step(h uint64, r rune) uint64 { return (h ^ uint64(r)) * fnvPrime }

// chain adds a whole word's hash to that of a path.
func chain(h, word uint64) uint64 { return finish(h*fnvPrime ^ word) }

func finish(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// kind says what a character does in a text.
type kind byte

const (
	between  kind = iota // neither: space, punctuation, symbols
	spaced               // part of a word
	unspaced             // of a script that puts no spaces between words
)

func kindOf(r rune) kind {
	switch {
	case words.IsUnspaced(r):
		return unspaced
	case words.IsWord(r):
		return spaced
	}
	return between
}

// stopwords holds the hash of each.
var stopwords = func() map[uint64]bool {
	m := make(map[uint64]bool, 200)
	for w := range strings.FieldsSeq(words.Stopwords) {
		h := start(seedWord)
		for _, r := range w {
			h = step(h, r)
		}
		m[finish(h)] = true
	}
	return m
}()
