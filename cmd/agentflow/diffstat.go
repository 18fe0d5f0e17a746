package main

import (
	"fmt"

	"agentflow/api"
	"agentflow/internal/plural"
	"agentflow/internal/terminal"
	"agentflow/memory"
)

func statLines(changes []api.Change) []terminal.StatLine {
	var out []terminal.StatLine
	for _, change := range changes {
		l := terminal.StatLine{Name: memory.QuotePath(change.Path), Number: "?"} // binary, large, or not to be read
		if change.OldPath != "" {
			l.Name = memory.QuotePath(change.OldPath) + " => " + l.Name
		}
		if change.Certainty == memory.Possible {
			l.Name += " (possibly)"
		}
		if change.Files > 0 {
			l.Name += fmt.Sprintf(" (%s)", plural.Count(change.Files, "file"))
		}
		if change.Added != nil {
			l.Added, l.Deleted = *change.Added, *change.Deleted
			l.Number = fmt.Sprint(l.Added + l.Deleted)
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
	for _, line := range terminal.Stat(lines, terminal.Columns()-len(indent), c.style) {
		c.printf("%s %s\n", indent, line)
	}
	c.printf("%s %s\n", indent, statSum(lines, changes))
}

func statSum(lines []terminal.StatLine, changes []api.Change) string {
	files, added, deleted := 0, 0, 0
	for i, l := range lines {
		files += max(1, changes[i].Files)
		added, deleted = added+l.Added, deleted+l.Deleted
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
