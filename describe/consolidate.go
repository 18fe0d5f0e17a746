package describe

import (
	"fmt"
	"strings"

	"agentflow/api"
	"agentflow/memory"
)

// Action tells one action of a consolidation on one line.
func Action(a api.ConsolidateAction) string {
	words := []string{string(a.Kind)}
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

// Actions counts the actions by kind, in the order they were first taken.
func Actions(actions []api.ConsolidateAction) string {
	counts := map[string]int{}
	var order []string
	for _, a := range actions {
		kind := string(a.Kind)
		if counts[kind]++; counts[kind] == 1 && kind != "left" {
			order = append(order, kind)
		}
	}
	for i, kind := range order {
		order[i] = fmt.Sprintf("%d %s", counts[kind], kind)
	}
	return strings.Join(order, ", ")
}
