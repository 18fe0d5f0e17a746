// Package words cuts text into words and says which texts say the same: the
// only place that does, so that search, the comparison of facts and the checks
// of what an agent said agree on what a word is. It is pure and keeps no state.
//
// A text is compared in one of four forms, from the strictest to the loosest:
// SameText (ids and tombstones are made of it), Normal (two facts say the
// same), Plain (a text stands in another one) and the stems of Tokenize
// (search).
package words

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// IsWord says whether r can be part of a word.
func IsWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_'
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r)
}

// unspaced are the scripts that put no spaces between words.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

// IsUnspaced says whether r is of a script that puts no spaces between words.
func IsUnspaced(r rune) bool {
	return r >= 0x0E00 && (r == 'ー' || unicode.In(r, unspaced...))
}

// IsASCII says whether a text has no other characters.
func IsASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Fold takes diacritics off, except those that make another sound of a kana,
// and brings compatible characters to one form: a word that was typed on two
// systems is one word. Bytes that are no text become blanks.
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

// FirstRunes is the beginning of a text: n characters.
func FirstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}
