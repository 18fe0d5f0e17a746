package session

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"agentflow/app"
	"agentflow/app/indexes"
	"agentflow/app/lookup"
	"agentflow/app/propose"
	"agentflow/app/settle"
	"agentflow/app/worktree"
	"agentflow/executor"
	"agentflow/executor/runfolder"
	"agentflow/internal/extract"
	"agentflow/memory"
	"agentflow/writeback"
)

// RecoverRuns finishes runs of killed processes and runs without a written entry, and reports each. It skips the
// reported runs, with entries just finished from the log, unless it ended processes of them.
func RecoverRuns(ctx context.Context, s *app.Repo, reported []writeback.Ref) {
	recoverSessions(ctx, s)
	deps := executor.Deps{
		Record: propose.Recorder{Mem: s}, Work: worktree.Workspace(context.WithoutCancel(ctx), s), Redact: s.Redact.Text, Extract: extract.Tagged, Plain: extract.WithoutTags,
		RunsDir: s.Runs(), WorkTree: s.Worktree, MainTree: worktree.IsMainTree(s), Home: s.Dirs.Home, WorkAt: func(ctx context.Context, workTree string, isMain bool) executor.Workspace {
			return worktree.WorkspaceAt(ctx, s, workTree, isMain)
		}, Env: s.Environ, Ignore: func(path string) bool { return indexes.Ignored(s, path) },
		Held: func(ctx context.Context, items []runfolder.RecalledItem) []string {
			return lookup.GivenTexts(ctx, s, items)
		},
	}
	for _, r := range executor.Recover(ctx, deps) {
		if app.IsPending(r.Err) {
			continue // recovering the log reported the reason
		}
		if r.Err != nil {
			s.Degraded("recover", []string{fmt.Sprintf("finishing interrupted run %s: %v", memory.ShortID(r.ID), r.Err)})
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
		s.Say("%s", line)
		s.Degraded("recover", append(r.Record.Degraded, settle.DeferRecovered(s, r)...))
	}
}
