package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"agentflow/executor"
	"agentflow/extract"
	"agentflow/gitwatch"
	"agentflow/memory"
	"agentflow/uses"
	"agentflow/writeback"
)

// recaller answers the executor's questions from the index.
type recaller struct {
	mem     *openMemory
	top     int
	agent   string
	resumed string // the resumed run; empty: none
}

func (r recaller) Recall(ctx context.Context, task string) (executor.Known, error) {
	namespaces, err := searchedNamespaces(ctx, r.mem, nil, r.resumed)
	found, asked := recall(ctx, r.mem, memory.Query{Text: task, Limit: r.top, Gate: true, Namespaces: namespaces}, r.agent)
	found.Degraded = appendError(found.Degraded, err)
	return found, asked
}

// recorder writes a finished run and updates the index.
type recorder struct{ mem *openMemory }

func (r recorder) Record(ctx context.Context, e memory.Entry) (string, []string, error) {
	path, degraded, err := r.mem.store.Record(ctx, e)
	if err != nil {
		return "", degraded, err // no Markdown file holds it
	}
	short, cancel := context.WithTimeout(ctx, r.mem.settings.Recall.Deadline)
	defer cancel()
	degraded = appendError(degraded, mergeRepeated(short, r.mem, e))
	r.countUses(ctx, e)
	degraded = appendError(degraded, proposeFromTask(ctx, r.mem, e))
	return path, append(degraded, r.takeUp(ctx, short)...), nil
}

// takeUp updates the index until short ends, and completes vectors for a moment.
func (r recorder) takeUp(ctx, short context.Context) []string {
	late := func() bool { return short.Err() != nil && ctx.Err() == nil }
	var wasLate bool
	var vectors []string
	lines, err := withSynced(short, r.mem, func(db *openIndex) error {
		wasLate = late()
		vectors = r.mem.vectors.trouble(completeSoon(ctx, r.mem, db))
		return nil
	})
	if wasLate || err != nil && late() {
		return append([]string{"the search index is not up to date yet, for there is much to read: the next command goes on, or 'agentflow index' does"}, vectors...)
	}
	return append(appendError(lines, err), vectors...)
}

func (r recorder) countUses(ctx context.Context, e memory.Entry) {
	recalled, err := executor.ReadRun(r.mem.Runs(), e.ID)
	if err != nil {
		return // a run without a folder is not counted
	}
	var ids []string
	for _, shown := range slices.Concat(recalled.Facts, recalled.Hits) {
		ids = append(ids, shown.ID)
	}
	usesFile(r.mem).Add(ctx, uses.Prompt, ids, e.Time)
}

func appendError(lines []string, err error) []string {
	if err != nil {
		return append(lines, err.Error())
	}
	return lines
}

// workspaceAt opens one work tree, which may have been moved or removed. Each change set reports the parts that cannot
// be read.
func workspaceAt(ctx context.Context, s *openMemory, workTree string, isMain bool) executor.Workspace {
	return workspaceOf(gitwatch.OpenAnywhere(ctx, s.CommonDir, workTree, isMain))
}

// isMainTree reports whether the work tree is the repository's main one.
func isMainTree(s *openMemory) bool {
	return s.CommonDir != "" && s.Worktree != "" && s.Linked == ""
}

// workspaceOf returns an opened repository, or a workspace that reports why it could not be opened.
func workspaceOf(repo *gitwatch.Repo, err error) executor.Workspace {
	if err != nil {
		return gitwatch.NewUnreadable(err)
	}
	return repo
}

// workspace opens the repository for change sets. It returns nil outside git.
func workspace(ctx context.Context, s *openMemory) executor.Workspace {
	repo, err := s.repo(ctx)
	switch {
	case errors.Is(err, errNoGit):
		return nil
	case err != nil:
		return gitwatch.NewUnreadable(err)
	}
	return repo
}

// recoverRuns finishes runs of killed processes and runs without a written entry, and reports each. It skips the
// reported runs, with entries just finished from the log, unless it ended processes of them.
func recoverRuns(ctx context.Context, s *openMemory, reported []writeback.Ref) {
	recoverSessions(ctx, s)
	deps := executor.Deps{
		Record: recorder{s}, Work: workspace(context.WithoutCancel(ctx), s), Redact: s.redact.Text, Extract: extract.Tagged, Plain: extract.WithoutTags,
		RunsDir: s.Runs(), WorkTree: s.Worktree, MainTree: isMainTree(s), Home: s.dirs.Home, WorkAt: func(ctx context.Context, workTree string, isMain bool) executor.Workspace {
			return workspaceAt(ctx, s, workTree, isMain)
		}, Env: s.environ, Ignore: func(path string) bool { return ignored(s, path) },
		Held: func(ctx context.Context, items []executor.RecalledItem) []string { return givenTexts(ctx, s, items) },
	}
	for _, r := range executor.Recover(ctx, deps) {
		if isPending(r.Err) {
			continue // recovering the log reported the reason
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
		s.degraded("recover", append(r.Record.Degraded, deferRecovered(s, r)...))
	}
}
