package memory

import (
	"slices"
	"strings"
)

// FileEdit is one file of memory before and after a change.
type FileEdit struct {
	File   string // relative to the memory folder, '/' separated
	Before []byte // what it has to hold for the change to be made; nil: it is not there
	After  []byte // what it holds then; nil: it goes
}

// Replace writes f in place of the facts with this full id, wherever they
// stand. Every byte outside of their bullets is kept, and of their comments
// the pairs that are none of ours. found says whether any fact has the id.
// The document itself is not changed.
func (d *Document) Replace(id string, f Fact) (text []byte, found bool) {
	for _, b := range d.Blocks {
		text = append(text, b.Revise(func(i int) (Fate, Fact) {
			if id == "" || b.Facts[i].ID != id {
				return Stays, Fact{}
			}
			found = true
			return Changes, f
		})...)
	}
	return text, found
}

// rewritten is a bullet that says f and keeps what people added to old: its
// indent, its line ending and the foreign pairs of its comment.
func rewritten(old string, f Fact) string {
	bullet := FormatFact(f)
	if others := foreignPairs(old); others != "" {
		first, rest, _ := strings.Cut(bullet, "\n")
		if inside, ok := strings.CutSuffix(first, commentClose); ok {
			bullet = inside + others + commentClose + "\n" + rest
		}
	}
	indent := old[:len(old)-len(strings.TrimLeft(old, " \t"))]
	if indent != "" {
		var b strings.Builder
		for line := range strings.Lines(bullet) {
			if strings.TrimSpace(line) != "" {
				b.WriteString(indent)
			}
			b.WriteString(line)
		}
		bullet = b.String()
	}
	if !strings.HasSuffix(old, "\n") {
		bullet = strings.TrimSuffix(bullet, "\n")
	}
	if first, _, _ := strings.Cut(old, "\n"); strings.HasSuffix(first, "\r") {
		bullet = strings.ReplaceAll(bullet, "\n", "\r\n")
	}
	return bullet
}

// foreignPairs are the pairs of a bullet's comment that are none of a fact's,
// as they stand, each with a blank after it.
func foreignPairs(bullet string) string {
	for line := range strings.Lines(bullet) {
		line = strings.TrimRight(line, " \t\r\n")
		if _, _, ok := trailingComment(line); !ok {
			continue
		}
		var b strings.Builder
		inside := strings.TrimSuffix(line[strings.LastIndex(line, commentOpen)+len(commentOpen):], commentClose)
		for _, pair := range strings.Fields(inside) {
			if key, _, _ := strings.Cut(pair, "="); !slices.Contains(factKeys, key) {
				b.WriteString(pair + " ")
			}
		}
		return b.String()
	}
	return ""
}
