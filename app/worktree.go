package app

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// GitFolder returns the folder in which git is run for the repository.
func GitFolder(s *Repo) string {
	if s.Worktree == "" {
		return s.CommonDir
	}
	return s.Worktree
}

// MaxSlug limits a slug, in bytes.
const MaxSlug = 40

// Slug returns a text in a-z, 0-9 and single hyphens, which is valid in names of branches and
// folders everywhere. A text without such letters becomes "run".
func Slug(text string) string {
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
	if len(out) > MaxSlug {
		out = out[:MaxSlug+1]
		if at := strings.LastIndexByte(out, '-'); at > MaxSlug/2 {
			out = out[:at]
		}
		out = strings.Trim(out[:min(len(out), MaxSlug)], "-")
	}
	if out == "" {
		return "run"
	}
	return out
}
