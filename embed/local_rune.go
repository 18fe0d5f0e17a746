package embed

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// kind says what a character does in a text.
type kind byte

const (
	between  kind = iota // neither: space, punctuation, symbols
	spaced               // part of a word
	unspaced             // of a script that puts no spaces between words
)

var unspacedScripts = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

func kindOf(r rune) kind {
	if r < utf8.RuneSelf {
		return asciiKind[r]
	}
	switch {
	case r >= 0x0E00 && (unicode.In(r, unspacedScripts...) || r == 'ー'):
		return unspaced
	case unicode.IsLetter(r), unicode.IsNumber(r):
		return spaced
	}
	return between
}

var asciiKind = func() (kinds [utf8.RuneSelf]kind) {
	for r := range rune(utf8.RuneSelf) {
		if r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			kinds[r] = spaced
		}
	}
	return kinds
}()

func lower(r rune) rune {
	if r < utf8.RuneSelf {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	return unicode.ToLower(r)
}

// fold takes diacritics off, except those that make another sound of a kana,
// and brings compatible characters to one form: what was typed on two systems
// is one word. Bytes that are no text become spaces.
func fold(text string) string {
	if isASCII(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for _, r := range norm.NFKD.String(strings.ToValidUTF8(text, " ")) {
		if !unicode.Is(unicode.Mn, r) || r == 0x3099 || r == 0x309A {
			b.WriteRune(r)
		}
	}
	return norm.NFC.String(b.String())
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
