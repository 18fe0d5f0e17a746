package describe

import (
	"fmt"
	"strings"

	"agentflow/app/api"
	"agentflow/internal/consolidate"
	"agentflow/internal/plural"
	"agentflow/memory"
)

// doing describes a kind of action: the verb, its past form, the object, and the purpose.
type doing struct{ verb, past, noun, rest string }

var doings = map[consolidate.Kind]doing{
	consolidate.Merged:   {"merge", "merged", "fact", "into another that says the same"},
	consolidate.Doubled:  {"drop", "dropped", "second copy", "of an entry or fact"},
	consolidate.Struck:   {"strike out", "struck out", "fact", "that another replaces"},
	consolidate.Promoted: {"move", "moved", "fact", "to MEMORY.md"},
	consolidate.Lowered:  {"move", "moved", "fact", "that holds no longer, or was not said for long, out of MEMORY.md"},
	consolidate.Demoted:  {"move", "moved", "fact", "out of MEMORY.md, which is full"},
	consolidate.Folded:   {"move", "moved", "daily file", "into "}, // and how many files
	consolidate.Retired:  {"take", "took", "fact", "out of memory, as [retention] says"},
}

// quoted returns the verb of a kind, for an action that would be done or was done.
func (d doing) said(dryRun bool) string {
	if dryRun {
		return d.verb
	}
	return d.past
}

// Action describes one action of a consolidation on one line. With dryRun it describes an
// action that would be done.
func Action(a api.ConsolidateAction, dryRun bool) string {
	words := []string{string(a.Kind)}
	if d, ok := doings[a.Kind]; ok {
		words[0] = d.said(dryRun)
	}
	if dryRun && a.Kind != consolidate.Left {
		words[0] = "would " + words[0]
	}
	if a.ID != "" {
		words = append(words, memory.ShortID(a.ID))
	}
	if a.Text != "" {
		words = append(words, fmt.Sprintf("%q", strings.ReplaceAll(memory.Clean(a.Text), "\n", " ")))
	}
	if a.ID == "" {
		words = append(words, a.File)
	}
	if a.Into != "" && a.Into != a.ID {
		words = append(words, "→", memory.ShortID(a.Into))
	}
	if a.To != "" {
		words = append(words, "→", a.To)
	}
	return strings.Join(words, " ") + ": " + a.Reason
}

// Actions sums up the actions in words, in the order in which their kinds first occur.
func Actions(actions []api.ConsolidateAction, dryRun bool) string {
	counts := map[consolidate.Kind]int{}
	var order []consolidate.Kind
	months := map[string]bool{}
	for _, a := range actions {
		if _, known := doings[a.Kind]; !known {
			continue
		}
		if counts[a.Kind]++; counts[a.Kind] == 1 {
			order = append(order, a.Kind)
		}
		if a.Kind == consolidate.Folded {
			months[a.To] = true
		}
	}
	var list []string
	for _, kind := range order {
		d := doings[kind]
		if kind == consolidate.Folded {
			d.rest += plural.Count(len(months), "monthly file")
		}
		list = append(list, d.said(dryRun)+" "+plural.Count(counts[kind], d.noun)+" "+d.rest)
	}
	return strings.Join(list, ", ")
}
