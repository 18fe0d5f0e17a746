package memory

import (
	"slices"
	"strings"
)

// Projection is what of an entry is indexed: its title; what was asked, said
// and learned; and the paths it names. Labels, comments and "None" are not.
func Projection(e Entry) (title, body, files string) {
	text := []string{e.Task, e.Summary}
	for _, c := range slices.Concat(e.Commits, e.PossibleCommits) {
		text = append(text, c.Subject)
	}
	text = append(text, e.Errors...)
	text = append(text, e.Denials...)
	for _, f := range e.Facts {
		text = append(text, f.Text)
	}
	text = append(text, e.Extra)
	return e.Title, joinText(text), strings.Join(e.paths(), "\n")
}

// paths are all paths the entry names, each once, in order.
func (e *Entry) paths() []string {
	var list []string
	seen := map[string]bool{}
	for _, l := range []ChangeList{e.Changes, e.Uncommitted, e.Meanwhile} {
		for _, c := range l.Items {
			for _, p := range []string{c.Path, c.OldPath} {
				if p != "" && !seen[p] {
					seen[p] = true
					list = append(list, p)
				}
			}
		}
	}
	return list
}

func joinText(parts []string) string {
	var b strings.Builder
	for _, s := range parts {
		if s == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(s)
	}
	return b.String()
}
