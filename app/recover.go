package app

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"agentflow/executor"
	"agentflow/extract"
	"agentflow/memory"
	"agentflow/writeback"
)

// recoverRuns finishes runs whose process was killed, or whose entry could
// not be written, and says what became of each. Those whose entry was just
// finished from the log have been reported.
func (s *openMemory) recoverRuns(ctx context.Context, reported []writeback.Ref) {
	deps := executor.Deps{
		Record: recorder{s}, Work: s.workspace(context.WithoutCancel(ctx)), Redact: s.redact.Text, Extract: extract.Tagged, Plain: extract.WithoutTags,
		RunsDir: s.Runs(), WorkTree: s.Worktree, WorkAt: workspaceAt, Env: s.environ, Ignore: s.ignored,
	}
	for _, r := range executor.Recover(ctx, deps) {
		if isPending(r.Err) {
			continue // recovering the log gave the reason
		}
		if r.Err != nil {
			s.degraded("recover", []string{fmt.Sprintf("finishing interrupted run %s: %v", memory.ShortID(r.ID), r.Err)})
			continue
		}
		if len(r.Ended) == 0 && slices.ContainsFunc(reported, func(ref writeback.Ref) bool { return ref.ID == r.ID }) {
			continue
		}
		line := fmt.Sprintf("recorded run %s, which had been cut short (%s)", memory.ShortID(r.ID), r.Record.Entry.Title)
		if n := len(r.Ended); n > 0 {
			var names []string
			for _, e := range r.Ended {
				names = append(names, fmt.Sprintf("%s (pid %d)", e.Command, e.PID))
			}
			line += "; ended what was left of it: " + strings.Join(names, ", ")
		}
		s.say("%s", line)
		s.degraded("recover", append(r.Record.Degraded, s.deferRecovered(r)...))
	}
}
