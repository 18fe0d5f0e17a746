package run

import (
	"context"
	"fmt"
	"slices"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/builtin"
	"agentflow/app/lookup"
	"agentflow/app/propose"
	"agentflow/app/purge"
	"agentflow/app/worktree"
	"agentflow/executor"
	"agentflow/executor/agent"
	"agentflow/executor/agent/allow"
	"agentflow/internal/config"
	"agentflow/internal/lists"
	"agentflow/memory"
	"agentflow/memory/changeset"
	"agentflow/memory/markdown"
)

func (r *runner) result(rec executor.Record, tree *app.WorktreeLeft) app.RunResult {
	run := api.NewRun(rec.Entry, rec.MemoryPath)
	run.Hits, run.Degraded, run.Hints = lists.Filled(rec.Hits), lists.Filled(rec.Degraded), advice(r.Repo, rec, tree)
	res := app.RunResult{Run: run, Reason: rec.Reason, Terminated: rec.Terminated, NotRecorded: rec.RecordError != nil, Worktree: tree, Tools: r.tools, Degraded: run.Degraded}
	if tree != nil {
		res.Run.WorktreePath = tree.Path
	}
	res.Unchanged = r.Repo.CommonDir != "" && leftNothing(run)
	if rec.MemoryPath != "" {
		res.MemoryFile = r.Repo.Shown(rec.MemoryPath)
	}
	if res.NotRecorded && !app.IsPending(rec.RecordError) {
		res.Lost = string(markdown.FormatV2(rec.Entry))
	}
	return res
}

// leftNothing reports whether a run began, and made neither commits nor changes that were read.
func leftNothing(run api.Run) bool {
	changes := len(run.Changes) + len(run.Uncommitted) + len(run.Elsewhere) + len(run.Commits) + len(run.Possible)
	return run.Outcome != memory.OutcomeNotStarted && changes+len(run.Unread) == 0
}

func tellTrouble(s *app.Repo, rec executor.Record) {
	s.Degraded("run", rec.Degraded)
	if app.IsPending(rec.RecordError) {
		s.Hint("%s", app.PendingHint)
	}
}

// advice lists remedies for a run that did not end well, one per line, and only those that work for this run. tree is
// the separate working tree of the run, if any.
func advice(s *app.Repo, rec executor.Record, tree *app.WorktreeLeft) []string {
	e := &rec.Entry
	id := memory.ShortID(e.ID)
	var out []string
	switch rec.Cause {
	case agent.CauseNotStarted:
		return []string{StartHint(s.Settings, e.Agent)}
	case agent.CauseLogin:
		out = append(out, loginHint(s, e.Agent))
	case agent.CauseSession:
		out = append(out, "the agent keeps its sessions by folder, and not for ever: start again, without --resume")
	}
	if len(e.Denials) > 0 {
		out = append(out, allowHints(s, e.Agent, e.Denials)...)
	}
	if rec.Outcome == memory.OutcomeOK {
		return out
	}
	if resumable(s, rec, tree) {
		limit := ""
		if rec.Cause == agent.CauseCost {
			limit = "--max-cost DOLLARS "
		}
		out = append(out, fmt.Sprintf("'agentflow run --resume %s %sTASK' continues the agent's session", id, limit))
	}
	if rec.MemoryPath != "" && tree == nil {
		out = append(out, undoAdvice(e)...)
	}
	return out
}

func resumable(s *app.Repo, rec executor.Record, tree *app.WorktreeLeft) bool {
	if _, known := builtin.Named(s.Settings, rec.Entry.Agent); !known || rec.Entry.Session == "" || rec.MemoryPath == "" {
		return false
	}
	gone := tree != nil && tree.Path == ""
	return !gone && rec.Cause != agent.CauseLogin && rec.Cause != agent.CauseSession
}

// undoAdvice explains how to take a run back, if undo would find changes.
func undoAdvice(e *memory.Entry) []string {
	changes, id := propose.ChangesOf(e), memory.ShortID(e.ID)
	sure := slices.ContainsFunc(changes, func(c changeset.Change) bool { return c.Certainty.Sure() })
	switch {
	case len(api.Unread(*e)) > 0:
		return nil
	case sure:
		return []string{fmt.Sprintf("'agentflow undo %s' takes back what the run changed", id)}
	case len(changes) > 0:
		return []string{fmt.Sprintf("'agentflow undo %s --possible' takes back what the run may have changed", id)}
	}
	return nil
}

func loginHint(s *app.Repo, agent string) string {
	if b, known := builtin.Named(s.Settings, agent); known {
		return b.Login
	}
	return "log in to " + agent + ", or give it a key"
}

// allowHints lists hints that allow an agent the denied actions.
func allowHints(s *app.Repo, agent string, denials []string) []string {
	if b, known := builtin.Named(s.Settings, agent); known && b.Allow != "" {
		return []string{b.Allow}
	}
	var hints []string
	switch edits := allow.Edits(denials); {
	case edits && s.Settings.Claude.PermissionMode == "acceptEdits":
		hints = append(hints, "'agentflow run TASK -- --add-dir FOLDER' lets it edit files outside of its folder")
	case edits:
		hints = append(hints, "'--permission-mode acceptEdits' lets it edit files")
	}
	rules, reasons := allow.Rules(denials)
	if len(rules) > 0 {
		all := slices.Concat(s.Settings.Claude.AllowedTools, rules[:min(len(rules), maxAllowed)])
		hints = append(hints, "to allow it: "+config.SetCommand("agent.claude.allowed_tools", all))
	}
	for _, reason := range reasons[:min(len(reasons), maxAllowed)] {
		hints = append(hints, reason+"; run it yourself if it has to be")
	}
	return hints
}

// maxAllowed bounds the rules that a hint proposes, and the actions that it names.
const maxAllowed = 5

// RecentRuns returns the newest runs and sessions, at most limit. It is quick and sends no events, and does not recover
// the work of crashed commands.
func RecentRuns(ctx context.Context, m *app.Memory, limit int) ([]worktree.RunName, error) {
	s, err := m.Begin(app.Listen(ctx, nil)).OpenExisting(ctx)
	if err != nil {
		return nil, err
	}
	var list []worktree.RunName
	for b, err := range lookup.Blocks(s) {
		if err == nil && b.Entry != nil && b.Entry.Kind.ByAgent() {
			list = append(list, worktree.RunName{ID: memory.ShortID(b.Entry.ID), Title: purge.TitleOf(b.Entry)})
		}
		if len(list) == limit {
			break
		}
	}
	return list, nil
}
