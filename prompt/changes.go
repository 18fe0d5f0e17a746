package prompt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// maxChanges is how many changes of a list an entry shows.
const maxChanges = 8

// shorten cuts the lists of changes among an entry's lines to maxChanges: the likely files, in their order, and then the first others stay.
func shorten(lines []string, likely []memory.LikelyFile) []string {
	var out []string
	for len(lines) > 0 {
		n := 0
		for n < len(lines) && changedPath(lines[n]) != "" {
			n++
		}
		if n > maxChanges+1 { // one line more says as much
			list := slices.Clone(lines[:n])
			slices.SortStableFunc(list, func(a, b string) int { return cmp.Compare(place(a, likely), place(b, likely)) })
			out = append(append(out, list[:maxChanges]...), fmt.Sprintf("- … and %d more files", n-maxChanges))
		} else {
			out = append(out, lines[:n]...)
		}
		if lines = lines[n:]; len(lines) > 0 {
			out, lines = append(out, lines[0]), lines[1:]
		}
	}
	return out
}

// changedPath is the path of a line of a list of changes; empty for another line.
func changedPath(line string) string {
	text, ok := strings.CutPrefix(line, "- ")
	if !ok {
		return ""
	}
	c, ok := markdown.ParseChange(text)
	if !ok {
		return ""
	}
	return c.Path
}

// place is that of a line's path among likely files, and after them for another.
func place(line string, likely []memory.LikelyFile) int {
	path := changedPath(line)
	if i := slices.IndexFunc(likely, func(f memory.LikelyFile) bool { return f.Path == path }); i >= 0 {
		return i
	}
	return len(likely)
}
