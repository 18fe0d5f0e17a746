package terminal

import (
	"fmt"
	"strings"

	"agentflow/internal/plural"
	"agentflow/internal/textwidth"
)

// minGraph is the minimum number of columns that a diff stat leaves for + and
// -.
const minGraph = 10

// StatLine is one line of a diff stat.
type StatLine struct {
	Name           string
	Added, Deleted int
	Number         string // number of lines, or a text in its place
	Files          int    // number of files that the line represents
}

// Stat formats lines like git diff --stat, in columns columns, with their sum
// below. style puts the colour of a code on text. Without lines it returns nil.
func Stat(lines []StatLine, columns int, style func(code, text string) string) []string {
	if len(lines) == 0 {
		return nil
	}
	names, numbers, most := 0, 0, 0
	for _, l := range lines {
		names, numbers = max(names, textwidth.Cells(l.Name)), max(numbers, len(l.Number))
		most = max(most, l.Added+l.Deleted)
	}
	room := max(columns-numbers-len(" |  ")-1, minGraph+minGraph)
	names = min(names, room-minGraph)
	graph := min(most, room-names)
	var out []string
	for _, l := range lines {
		name := shortened(l.Name, names)
		added, deleted := l.scaled(graph, most)
		out = append(out, name+strings.Repeat(" ", names-textwidth.Cells(name))+" | "+strings.Repeat(" ", numbers-len(l.Number))+l.Number+" "+
			style("32", strings.Repeat("+", added))+style("31", strings.Repeat("-", deleted)))
	}
	return append(out, sumOf(lines))
}

func sumOf(lines []StatLine) string {
	files, added, deleted := 0, 0, 0
	for _, l := range lines {
		files, added, deleted = files+l.Files, added+l.Added, deleted+l.Deleted
	}
	sum := plural.Count(files, "file") + " changed"
	if added > 0 || deleted == 0 {
		sum += fmt.Sprintf(", %s(+)", plural.Count(added, "insertion"))
	}
	if deleted > 0 || added == 0 {
		sum += fmt.Sprintf(", %s(-)", plural.Count(deleted, "deletion"))
	}
	return sum
}

// shortened keeps the end of a name, which is the most specific part.
func shortened(name string, cells int) string {
	if textwidth.Cells(name) <= cells {
		return name
	}
	runes := []rune(name)
	for len(runes) > 0 && textwidth.Cells(string(runes))+1 > cells {
		runes = runes[1:]
	}
	return "…" + string(runes)
}

// scaled returns how many + and - represent a line's counts if most fills the
// graph. A count above zero gets at least one.
func (l StatLine) scaled(graph, most int) (added, deleted int) {
	if most <= graph {
		return l.Added, l.Deleted
	}
	scale := func(n int) int {
		if n == 0 {
			return 0
		}
		return 1 + n*(graph-1)/most
	}
	total := scale(l.Added + l.Deleted)
	if total < 2 && l.Added > 0 && l.Deleted > 0 {
		total = 2
	}
	if l.Added < l.Deleted {
		added = scale(l.Added)
		return added, total - added
	}
	deleted = scale(l.Deleted)
	return total - deleted, deleted
}
