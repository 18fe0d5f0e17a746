package app

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"agentflow/internal/plural"

	"agentflow/memory"
)

// printStats prints the counts for people.
func (a *operation) printStats(o statsObject) {
	row := func(label, value string) {
		if value != "" {
			a.printf("%s %s\n", a.bold(fmt.Sprintf("%-10s", label)), cleanLine(value))
		}
	}
	row("facts", fmt.Sprintf("%d live, %d pinned; %d struck, %d expired", o.Live, o.Pinned, o.Struck, o.Expired))
	row("type", counted(o.Types))
	row("namespace", counted(o.Namespaces))
	row("category", counted(o.Categories))
	row("tag", counted(o.Tags))
	row("source", counted(o.Sources))
	var parts []string
	for _, name := range []string{"day", "week", "month", "year", "older", "unknown"} {
		if n := o.Ages[name]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", name, n))
		}
	}
	row("age", strings.Join(parts, ", "))
	m := o.MemoryMD
	row("files", fmt.Sprintf("%s, %s; of what agents load MEMORY.md fills %d of %d lines and %s of %s",
		plural.Count(o.Files, "file"), size(o.Bytes), m.Lines, m.LoadedLines, size(int64(m.Bytes)), size(int64(m.LoadedBytes))))
	if o.Used > 0 {
		row("used", fmt.Sprintf("%d facts and entries stood in a prompt, were found or looked at", o.Used))
	}
	for _, u := range o.Uses {
		a.printf("%s  %s\n", a.dim(fmt.Sprintf("%6d ×  %s", u.Count, memory.ShortID(u.ID))), memory.Title(u.Text))
	}
}

// shownCounts is how many names of one kind are shown.
const shownCounts = 12

// counted lists names with their counts, the largest first.
func counted(counts map[string]int) string {
	names := slices.Sorted(maps.Keys(counts))
	slices.SortStableFunc(names, func(a, b string) int { return counts[b] - counts[a] })
	var parts []string
	for i, name := range names {
		if i == shownCounts {
			parts = append(parts, fmt.Sprintf("and %d more", len(names)-i))
			break
		}
		parts = append(parts, fmt.Sprintf("%s %d", name, counts[name]))
	}
	return strings.Join(parts, ", ")
}
