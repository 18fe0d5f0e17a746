// Package invisible finds the characters of a text that people cannot see:
// control characters, terminal escape sequences, and characters that take no
// room, reorder the text around them or carry text that only a machine reads.
//
// Not guaranteed: that text without them is what it looks like. Letters of
// different scripts that look the same are all visible.
package invisible

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Rune reports whether a character is invisible. Newline and tab are visible.
// Joiners and the marks that shape some scripts are invisible: in text that is
// shown or put in a prompt, safety comes first.
func Rune(r rune) bool {
	switch {
	case r < 0x7f:
		return r < ' ' && r != '\n' && r != '\t'
	case r < 0xad:
		return r <= 0x9f // DEL and C1
	case r < 0x034f:
		return r == 0xad
	}
	return unicode.Is(unseen, r)
}

// unseen lists the characters from U+034F on. It is Unicode's list of
// characters that a reader may ignore, without the variation selectors of
// emoji (U+FE00 to U+FE0F), and with line separators and interlinear marks.
var unseen = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x034f, Hi: 0x034f, Stride: 1}, // grapheme joiner
		{Lo: 0x061c, Hi: 0x061c, Stride: 1}, // Arabic letter mark
		{Lo: 0x115f, Hi: 0x1160, Stride: 1}, // Hangul fillers
		{Lo: 0x17b4, Hi: 0x17b5, Stride: 1}, // Khmer inherent vowels
		{Lo: 0x180b, Hi: 0x180f, Stride: 1}, // Mongolian selectors
		{Lo: 0x200b, Hi: 0x200f, Stride: 1}, // zero-width characters and marks of direction
		{Lo: 0x2028, Hi: 0x202e, Stride: 1}, // separators, embeddings and overrides
		{Lo: 0x2060, Hi: 0x206f, Stride: 1}, // invisible operators, isolates and format characters
		{Lo: 0x3164, Hi: 0x3164, Stride: 1}, // Hangul filler
		{Lo: 0xfeff, Hi: 0xfeff, Stride: 1}, // byte order mark
		{Lo: 0xffa0, Hi: 0xffa0, Stride: 1}, // Hangul filler of half width
		{Lo: 0xfff0, Hi: 0xfffb, Stride: 1}, // interlinear annotations
	},
	R32: []unicode.Range32{
		{Lo: 0x1bca0, Hi: 0x1bca3, Stride: 1}, // shorthand format characters
		{Lo: 0x1d173, Hi: 0x1d17a, Stride: 1}, // musical format characters
		{Lo: 0xe0000, Hi: 0xe0fff, Stride: 1}, // tags and more variation selectors
	},
}

// Line returns s as one line for a terminal: runs of blanks and invisible
// characters become one blank. A line of more than most characters is cut and
// ends in "…".
func Line(s string, most int) string {
	fields := strings.FieldsFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsGraphic(r) || r == unicode.ReplacementChar
	})
	line := []rune(strings.Join(fields, " "))
	if len(line) > most {
		return string(line[:most-1]) + "…"
	}
	return string(line)
}

// Escape returns the length of the terminal escape sequence (ECMA-48) at the
// start of s, or 0 if there is none. A sequence begins with ESC, or with a C1
// character that represents it, and never extends beyond its line.
func Escape(s string) int {
	switch {
	case s == "":
		return 0
	case s[0] == 0x1b && len(s) == 1:
		return 1
	case s[0] == 0x1b:
		return 1 + sequence(s[1:], s[1])
	case s[0] == 0xc2 && len(s) > 1 && strings.IndexByte("\x90\x98\x9b\x9d\x9e\x9f", s[1]) >= 0:
		return 1 + sequence(s[1:], s[1]-0x40) // U+0090 to U+009F represent ESC and a letter
	}
	return 0
}

// sequence returns the length of the text after an ESC that belongs to the
// sequence. The text begins with kind, or with a byte that represents it.
func sequence(s string, kind byte) int {
	switch {
	case kind == '[': // parameters, then one final byte
		i := 1
		for i < len(s) && 0x20 <= s[i] && s[i] <= 0x3f {
			i++
		}
		if i < len(s) && 0x40 <= s[i] && s[i] <= 0x7e {
			i++
		}
		return i
	case strings.IndexByte("]PX^_", kind) >= 0:
		return stringLen(s)
	case 0x20 <= kind && kind <= 0x2f && len(s) > 1:
		return 2
	case 0x30 <= kind && kind <= 0x7e:
		return 1
	}
	return 0
}

// stringLen returns the length of a control string, up to BEL or ESC \. A
// string without an end has length 1.
func stringLen(s string) int {
	for i := 1; i < len(s) && s[i] != '\n'; i++ {
		if s[i] == 0x07 {
			return i + 1
		}
		if s[i] == 0x1b {
			if i+1 < len(s) && s[i+1] == '\\' {
				return i + 2
			}
			return i
		}
	}
	return 1
}

// EscapeJSON writes the invisible characters of JSON as \u and four digits: the
// values stay the same, and a terminal shows them.
func EscapeJSON(text []byte) []byte {
	var out []byte
	from := 0
	for i := 0; i < len(text); {
		r, n := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRune(text[i:])
		}
		if r >= 0x7f && Rune(r) { // JSON encoders escape the others
			out = append(out, text[from:i]...)
			out = appendUnits(out, r)
			from = i + n
		}
		i += n
	}
	if out == nil {
		return text
	}
	return append(out, text[from:]...)
}

// appendUnits appends a character as one escape, or as two beyond 16 bits.
func appendUnits(out []byte, r rune) []byte {
	for _, unit := range utf16.Encode([]rune{r}) {
		out = fmt.Appendf(out, `\u%04x`, unit)
	}
	return out
}
