package explain

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// withoutMarks returns a text without the marks that only a screen shows, and without the targets of
// links. Code in backticks stays as it is, and so do names such as __init__.py and **kwargs.
func withoutMarks(text string) string {
	parts := strings.Split(link().ReplaceAllString(text, "$1$2"), "`")
	var code []string
	var b strings.Builder
	for i, part := range parts {
		if i%2 == 1 && i < len(parts)-1 {
			code = append(code, part)
			b.WriteString(codeMark)
			continue
		}
		if i > 0 && i%2 == 1 { // a backtick without another one
			b.WriteByte('`')
		}
		b.WriteString(symbols.Replace(part))
	}
	text = withoutPairs(withoutPairs(b.String(), "**", nil), "__", func(inner string) bool { return strings.Contains(inner, " ") })
	b.Reset()
	for i, part := range strings.Split(text, codeMark) {
		if i > 0 {
			b.WriteString("`" + code[i-1] + "`")
		}
		b.WriteString(part)
	}
	return b.String()
}

// codeMark takes the place of code while marks are removed. The text around code has none: see symbols.
const codeMark = "\x00"

var symbols = strings.NewReplacer("✅", "", "✓", "", "❌", "", "⚠️", "", "🎉", "", codeMark, "")

// withoutPairs removes a mark before and after a text that it emphasizes, if fits is nil or accepts the text.
func withoutPairs(text, mark string, fits func(inner string) bool) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, mark)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		inner, after, closed := strings.Cut(rest, mark)
		if closed && emphasizes(lastRune(b.String()), inner, after) && (fits == nil || fits(inner)) {
			b.WriteString(inner)
			text = after
			continue
		}
		b.WriteString(mark)
		text = rest
	}
}

// emphasizes reports whether marks between these texts emphasize the inner one: they are at the ends of
// words, and no operators or parts of a name.
func emphasizes(before rune, inner, after string) bool {
	first, _ := utf8.DecodeRuneInString(inner)
	next, _ := utf8.DecodeRuneInString(after)
	return inner != "" && !unicode.IsSpace(first) && !unicode.IsSpace(lastRune(inner)) &&
		(before == utf8.RuneError || apart(before)) && (after == "" || apart(next))
}

// apart reports whether a word may begin or end next to a character: white space, punctuation that no path and
// no operator has, and the letters of scripts without spaces.
func apart(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsPunct(r) && !strings.ContainsRune(`/*_\&%@#`, r) || strings.ContainsRune(">|", r) ||
		unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai)
}

// lastRune returns the last character of a text, or utf8.RuneError for "".
func lastRune(text string) rune {
	r, _ := utf8.DecodeLastRuneInString(text)
	return r
}
