package contents

import (
	"iter"
	"unicode/utf8"

	"agentflow/internal/words"
)

// identifiers yields the words of a text that may be names in a program: a
// letter or '_', then letters, digits and '_', with at least minLetters bytes
// of letters and at most words.MaxWord bytes. It leaves out words that look
// like data: see isData. Each comes with its place in the text.
func identifiers(text []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		for i := 0; i < len(text); {
			if !isWord(text[i]) {
				i++
				continue
			}
			end := i + 1
			for end < len(text) && isWord(text[end]) {
				end++
			}
			from, to := trim(text, i, end)
			if i = end; isIdentifier(text[from:to]) && !yield(from, text[from:to]) {
				return
			}
		}
	}
}

func isWord(c byte) bool { return c >= utf8.RuneSelf || words.IsWord(rune(c)) }

// trim leaves out '_' at both ends of a word.
func trim(text []byte, from, to int) (int, int) {
	for from < to && text[from] == '_' {
		from++
	}
	for from < to && text[to-1] == '_' {
		to--
	}
	return from, to
}

func isIdentifier(word []byte) bool {
	if len(word) < minLetters || len(word) > words.MaxWord || isDigit(word[0]) {
		return false
	}
	letters, digits := 0, 0
	for _, c := range word {
		switch {
		case isDigit(c):
			digits++
		case c != '_':
			letters++
		}
	}
	return letters >= minLetters && !isData(letters, digits)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// isData reports whether a word is probably a key, a hash or an encoded number:
// it has at least 12 characters, and at least a third of them are digits.
func isData(letters, digits int) bool { return letters+digits >= 12 && 3*digits >= letters+digits }
