// Package slug turns a text into a name for branches and folders.
package slug

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Max limits a slug, in bytes.
const Max = 40

// Of returns a text in a-z, 0-9 and single hyphens, which is valid in names of branches and
// folders everywhere. A text without such letters becomes "run".
func Of(text string) string {
	var b strings.Builder
	gap := false
	for _, r := range norm.NFKD.String(strings.ToLower(text)) {
		switch {
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			b.WriteRune(r)
			gap = false
		case !unicode.Is(unicode.Mn, r): // an accent, taken off its letter
			gap = true
		}
	}
	out := b.String()
	if len(out) > Max {
		out = out[:Max+1]
		if at := strings.LastIndexByte(out, '-'); at > Max/2 {
			out = out[:at]
		}
		out = strings.Trim(out[:min(len(out), Max)], "-")
	}
	if out == "" {
		return "run"
	}
	return out
}
