package embed

import "agentflow/internal/words"

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
