package attribution

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"agentflow/memory/changeset"
)

// tally counts over all scenarios.
type tally struct {
	scenarios, inside, telling, ownTrees, sharing, recovered int

	plain, undecidable    table
	tools, named, unnamed share // the claimed share of the final changes
	taken                 share // the share of the run's writes that others committed
	commits               share
	unseen                int // changed paths that git ignores
	undos                 map[string]int
	refusals              map[string]int
	wrong                 []*scenario // in which something was
}

func newTally() *tally {
	return &tally{plain: table{}, undecidable: table{}, undos: map[string]int{}, refusals: map[string]int{}}
}

// violations reports all violations, the shortest stories in full.
func (t *tally) violations() string {
	var b strings.Builder
	slices.SortStableFunc(t.wrong, func(x, y *scenario) int { return len(x.log) - len(y.log) })
	for i, s := range t.wrong {
		fmt.Fprintf(&b, "\nscenario %d:\n  %s", s.number, strings.Join(s.violations, "\n  "))
		if i < 12 {
			fmt.Fprintf(&b, "\n%s\n", strings.Join(s.log, "\n"))
		}
	}
	return b.String()
}

// table counts paths by row and column.
type table map[string]map[string]int

func (t table) add(row, col string) {
	if t[row] == nil {
		t[row] = map[string]int{}
	}
	t[row][col]++
}

func (t table) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "  %-32s", "")
	for _, col := range columns {
		fmt.Fprintf(&b, " %10s", col)
	}
	for _, row := range rows {
		fmt.Fprintf(&b, "\n  %-32s", row)
		for _, col := range columns {
			fmt.Fprintf(&b, " %10d", t[row][col])
		}
	}
	return b.String()
}

// share is a part of a whole.
type share struct{ part, whole int }

func (s *share) count(in bool) {
	s.whole++
	if in {
		s.part++
	}
}

func (s *share) percent() float64 {
	if s.whole == 0 {
		return 100
	}
	return 100 * float64(s.part) / float64(s.whole)
}

func (s *share) String() string {
	return fmt.Sprintf("%d of %d (%.1f %%)", s.part, s.whole, s.percent())
}

func (t *tally) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d scenarios: %d of agents that tell of their calls, %d with a person at work inside a call, %d beside another run, %d in a tree of their own, %d recovered\n",
		t.scenarios, t.telling, t.inside, t.sharing, t.ownTrees, t.recovered)
	fmt.Fprintf(&b, "paths that changed or are listed, by who touched them:\n%v\n", t.plain)
	fmt.Fprintf(&b, "apart: paths that somebody else wrote within a call that writes them, so that nobody can tell:\n%v\n", t.undecidable)
	fmt.Fprintf(&b, "changed last by a file tool, and shown: %v\n", &t.tools)
	fmt.Fprintf(&b, "changed last by a shell command that names them, and shown or likely: %v\n", &t.named)
	fmt.Fprintf(&b, "changed last by one that does not name them, and shown or likely: %v\n", &t.unnamed)
	fmt.Fprintf(&b, "changed last by the run, committed by somebody else, and shown or likely: %v\n", &t.taken)
	fmt.Fprintf(&b, "commits of the run that are listed: %v\n", &t.commits)
	fmt.Fprintf(&b, "changed paths that git ignores: %d\n", t.unseen)
	fmt.Fprintf(&b, "undo:\n%s\n", counts(t.undos))
	fmt.Fprintf(&b, "first reasons of refusals:\n%s", counts(t.refusals))
	return b.String()
}

func counts(m map[string]int) string {
	var list []string
	for _, key := range slices.Sorted(maps.Keys(m)) {
		list = append(list, fmt.Sprintf("  %5d %s", m[key], key))
	}
	return strings.Join(list, "\n")
}

// show renders a list, a change a line.
func show(l changeset.List) string {
	var lines []string
	for _, c := range l.Items {
		line := fmt.Sprintf("  %c %s", c.Status, c.Path)
		if c.OldPath != "" {
			line += " <- " + c.OldPath
		}
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s %s", line, c.Certainty, c.Note)))
	}
	if l.Unread != "" {
		lines = append(lines, "UNREAD "+l.Unread)
	}
	return strings.Join(lines, "\n")
}
