package main

import (
	"fmt"
	"strings"

	"agentflow/api"
	"agentflow/internal/plural"
	"agentflow/internal/terminal"
	"agentflow/internal/textwidth"
	"agentflow/memory"
)

// minGraph is how many columns a diff stat leaves for + and -, at least.
const minGraph = 10

// statLine is one line of a diff stat.
type statLine struct {
	name           string
	added, deleted int
	number         string // how many lines, or what there is instead
}

func statLines(changes []api.Change) []statLine {
	var out []statLine
	for _, change := range changes {
		l := statLine{name: memory.QuotePath(change.Path), number: "?"} // binary, large, or not to be read
		if change.OldPath != "" {
			l.name = memory.QuotePath(change.OldPath) + " => " + l.name
		}
		if change.Certainty == memory.Possible {
			l.name += " (possibly)"
		}
		if change.Files > 0 {
			l.name += fmt.Sprintf(" (%s)", plural.Count(change.Files, "file"))
		}
		if change.Added != nil {
			l.added, l.deleted = *change.Added, *change.Deleted
			l.number = fmt.Sprint(l.added + l.deleted)
		}
		out = append(out, l)
	}
	return out
}

// printStat draws changes as git diff --stat does, as wide as the terminal,
// each line behind an indent.
func (c *cli) printStat(changes []api.Change, indent string) {
	lines := statLines(changes)
	if len(lines) == 0 {
		return
	}
	names, numbers, most := 0, 0, 0
	for _, l := range lines {
		names, numbers = max(names, textwidth.Cells(l.name)), max(numbers, len(l.number))
		most = max(most, l.added+l.deleted)
	}
	room := max(terminal.Columns()-len(indent)-numbers-len(" |  ")-1, minGraph+minGraph)
	names = min(names, room-minGraph)
	graph := min(most, room-names)
	for _, l := range lines {
		name := shortened(l.name, names)
		added, deleted := l.scaled(graph, most)
		c.printf("%s %s%s | %*s %s%s\n", indent, name, strings.Repeat(" ", names-textwidth.Cells(name)), numbers, l.number,
			c.style("32", strings.Repeat("+", added)), c.style("31", strings.Repeat("-", deleted)))
	}
	c.printf("%s %s\n", indent, statSum(lines, changes))
}

// shortened keeps the end of a name, which tells most.
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

// scaled is how many + and - stand for a line's counts where most fill the
// graph. What is not nothing has one at least.
func (l statLine) scaled(graph, most int) (added, deleted int) {
	if most <= graph {
		return l.added, l.deleted
	}
	scale := func(n int) int {
		if n == 0 {
			return 0
		}
		return 1 + n*(graph-1)/most
	}
	total := scale(l.added + l.deleted)
	if total < 2 && l.added > 0 && l.deleted > 0 {
		total = 2
	}
	if l.added < l.deleted {
		added = scale(l.added)
		return added, total - added
	}
	deleted = scale(l.deleted)
	return total - deleted, deleted
}

func statSum(lines []statLine, changes []api.Change) string {
	files, added, deleted := 0, 0, 0
	for i, l := range lines {
		files += max(1, changes[i].Files)
		added, deleted = added+l.added, deleted+l.deleted
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
