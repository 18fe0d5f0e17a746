package executor

import (
	"fmt"
	"strings"
	"time"

	"agentflow/executor/internal/bounded"
	"agentflow/internal/proc"
	"agentflow/memory"
)

// maxNamed limits the ended processes in a remark.
const maxNamed = 10

// endedRemark names the processes that the agent left behind.
func endedRemark(others []proc.Ended, redact func(string) string) []string {
	if len(others) == 0 {
		return nil
	}
	var names []string
	for _, e := range others[:min(len(others), maxNamed)] {
		names = append(names, fmt.Sprintf("%s (pid %d)", e.Command, e.PID))
	}
	if more := len(others) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	what := "processes"
	if len(others) == 1 {
		what = "process"
	}
	line := fmt.Sprintf("ended %d background %s: %s", len(others), what, strings.Join(names, ", "))
	return []string{bounded.RedactBounded(redact, line, maxRemark)}
}

// extractor returns the function that takes facts from messages, or nil if facts are not wanted.
func (r *Begun) extractor() func(messages []string, given string) ([]memory.Fact, []string) {
	if r.deps.Extract == nil {
		return nil
	}
	return func(messages []string, given string) ([]memory.Fact, []string) {
		return r.deps.Extract(messages, r.stored+given, r.journal.Started)
	}
}

// duration returns the time until the agent ended, or until the last event if no process saw
// the end.
func (r *Begun) duration() time.Duration {
	end := r.journal.Ended
	if end.IsZero() {
		end = r.summary.Last
	}
	return max(0, end.Sub(r.journal.Started)).Truncate(time.Millisecond)
}
