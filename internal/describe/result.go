package describe

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"agentflow/app/api"
	"agentflow/internal/plural"
	"agentflow/memory"
)

// Result describes how a run or session ended: "ok in 23s, 2 turns, $0.09, claude". It returns
// "" for other entries.
func Result(r api.Run) string {
	if !r.Kind.ByAgent() || r.Outcome == "" {
		return ""
	}
	parts := []string{strings.ReplaceAll(string(r.Outcome), "_", " ") + " in " + plural.Duration(time.Duration(r.DurationMS)*time.Millisecond)}
	if r.Undone != nil {
		parts[0] = "later undone: " + parts[0]
	}
	if r.ExitCode != 0 {
		parts[0] += " with exit code " + strconv.Itoa(r.ExitCode)
	}
	if n := len(r.Denials); n > 0 {
		parts = append(parts, fmt.Sprintf("%d denied", n))
	}
	if r.Turns > 0 {
		parts = append(parts, plural.Count(r.Turns, "agent turn"))
	}
	if r.CostUSD > 0 {
		parts = append(parts, memory.Price(r.CostUSD))
	}
	if r.Agent != "" {
		parts = append(parts, OneLine(r.Agent))
	}
	return strings.Join(parts, ", ")
}
