package embed

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"agentflow/internal/words"
)

// Seeds keep features of different sorts apart.
const (
	seedWord uint64 = iota + 1
	seedGram
	seedBigram
	seedPath
)

// count counts the features of a text: words, the parts of identifiers, paths,
// bigrams of scripts without spaces, and n-grams of words. Function words and
// symbols say nothing.
func (s *sketch) count(text string) {
	text = words.Fold(text)
	tokens := words.Scan(text)
	isPath := func(i int) bool { return i < len(tokens) && tokens[i].To == 0 }
	for i, t := range tokens {
		first, _ := utf8.DecodeRuneInString(t.Text)
		switch {
		case isPath(i) && isPath(i+1) && (isPath(i-1) || !t.Named): // the last two steps of a path: the base name and the whole tell more
		case isPath(i):
			s.add(hashOf(seedPath, t.Text), s.model.Path)
		case words.IsUnspaced(first):
			s.add(hashOf(seedBigram, t.Text), s.model.Bigram)
		case t.Named:
			s.add(hashOf(seedWord, t.Text), s.model.Identifier)
		case words.IsWord(first) && !words.IsStopword(t.Text) && !strings.ContainsAny(text[t.From:t.To], "'’"): // "don't" says nothing
			s.plain(t.Text)
		}
	}
}

// plain counts a word without inner structure, and its n-grams. A word with a
// digit is a number, a version or a hash: what is spelled alike is not alike
// there.
func (s *sketch) plain(word string) {
	s.add(hashOf(seedWord, word), s.model.Word)
	s.word = append(s.word[:0], '<')
	for _, r := range word {
		if unicode.IsNumber(r) {
			return
		}
		s.word = append(s.word, r)
	}
	s.word = append(s.word, '>')
	for i := range s.word {
		h := start(seedGram)
		for n, r := range s.word[i:min(i+s.model.MaxGram, len(s.word))] {
			h = step(h, r)
			if n+1 >= s.model.MinGram {
				s.add(finish(h), s.model.Gram[n+1])
			}
		}
	}
}

// Hashes are FNV-1a over characters instead of bytes, then mixed as
// MurmurHash3 ends (fmix64), so that every bit depends on every character.
// Fixed constants: unlike hash/maphash they are the same in every process.
const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

func hashOf(seed uint64, text string) uint64 {
	h := start(seed)
	for _, r := range text {
		h = step(h, r)
	}
	return finish(h)
}

func start(seed uint64) uint64 { return (fnvOffset ^ seed) * fnvPrime }

func step(h uint64, r rune) uint64 { return (h ^ uint64(r)) * fnvPrime }

func finish(h uint64) uint64 {
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	h ^= h >> 33
	h *= 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}
