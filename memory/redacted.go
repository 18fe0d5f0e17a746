package memory

import "strings"

// Redacted returns the list with what redact takes out of names and remarks.
// Most lists hold nothing to take out: all names are looked at at once first.
func (l ChangeList) Redacted(redact func(string) string) ChangeList {
	l.Unread = redact(l.Unread)
	var all strings.Builder
	for _, c := range l.Items {
		all.WriteString(c.Path + "\n" + c.OldPath + "\n" + c.Note + "\n")
	}
	if redact(all.String()) == all.String() {
		return l
	}
	items := make([]Change, len(l.Items))
	for i, c := range l.Items {
		c.Path, c.OldPath, c.Note = redact(c.Path), redact(c.OldPath), redact(c.Note)
		items[i] = c
	}
	l.Items = items
	return l
}
