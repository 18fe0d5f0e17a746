// Package words splits text into words and compares texts. It is the only
// package that does so, so that search, the comparison of facts and the checks
// of an agent's answers agree on words. It is pure and keeps no state.
//
// A text is compared in one of four forms, from the strictest to the loosest:
// SameText (for ids and tombstones), Normal (for facts with the same meaning),
// Plain (to find a text in another one) and the stems of Tokenize (for search).
package words

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// IsWord reports whether r can be part of a word.
func IsWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_'
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r)
}

// unspaced lists the scripts without spaces between words.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

// IsUnspaced reports whether r belongs to a script without spaces between
// words.
func IsUnspaced(r rune) bool {
	return r >= 0x0E00 && (r == 'ー' || unicode.In(r, unspaced...))
}

// IsASCII reports whether all characters of a text are ASCII.
func IsASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Fold removes diacritics, except those that change the sound of a kana, and
// replaces compatible characters by one form, so that a word typed on two
// systems is the same word. Invalid UTF-8 becomes blanks.
func Fold(s string) string {
	if IsASCII(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range norm.NFKD.String(strings.ToValidUTF8(s, " ")) {
		if !unicode.Is(unicode.Mn, r) || r == 0x3099 || r == 0x309A {
			b.WriteRune(r)
		}
	}
	return norm.NFC.String(b.String())
}

// FirstRunes returns the first n characters of a text.
func FirstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
