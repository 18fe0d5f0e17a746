package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"agentflow/api"
	"agentflow/executor"
	"agentflow/executor/agent"
	"agentflow/executor/agent/allow"
	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/writeback"
)

// RunResult is the result of a run.
type RunResult struct {
	Run         api.Run       // its JSON object, with Hits, WorktreePath and Hints
	Reason      string        // in a line, why the run did not end well; empty if it did, or if the agent's output says it
	Terminated  bool          // a signal other than that of the interrupt key ended it
	NotRecorded bool          // the entry is not in Markdown; without Lost, it waits in the log for the next command
	Lost        string        // the entry as Markdown if no file could store it: the caller must not lose it
	Worktree    *WorktreeLeft // of a run in a separate working tree; nil for others
	Unchanged   bool          // git was compared with its state before the run, and nothing had changed
	MemoryFile  string        // file of the entry, relative to the folder of the Memory; empty if there is none
	Tools       []string      // the agent's tool calls, with number and arguments, in a few lines
	Degraded    []string
}

func (r *runner) result(rec executor.Record, tree *WorktreeLeft) RunResult {
	run := api.NewRun(rec.Entry, rec.MemoryPath)
	run.Hits, run.Degraded, run.Hints = filled(rec.Hits), filled(rec.Degraded), advice(r.openMemory, rec, tree)
	res := RunResult{Run: run, Reason: rec.Reason, Terminated: rec.Terminated, NotRecorded: rec.RecordError != nil, Worktree: tree, Tools: r.tools, Degraded: run.Degraded}
	if tree != nil {
		res.Run.WorktreePath = tree.Path
	}
	res.Unchanged = r.CommonDir != "" && leftNothing(run)
	if rec.MemoryPath != "" {
		res.MemoryFile = r.shown(rec.MemoryPath)
	}
	if res.NotRecorded && !isPending(rec.RecordError) {
		res.Lost = string(markdown.FormatV2(rec.Entry))
	}
	return res
}

// leftNothing reports whether a run began, and made neither commits nor changes that were read.
func leftNothing(run api.Run) bool {
	changes := len(run.Changes) + len(run.Uncommitted) + len(run.Elsewhere) + len(run.Commits) + len(run.Possible)
	return run.Outcome != memory.OutcomeNotStarted && changes+len(run.Unread) == 0
}

func isPending(err error) bool {
	var pending *writeback.PendingError
	return errors.As(err, &pending)
}

func tellTrouble(s *openMemory, rec executor.Record) {
	s.degraded("run", rec.Degraded)
	if isPending(rec.RecordError) {
		s.hint("%s", pendingHint)
	}
}

// advice lists remedies for a run that did not end well, one per line, and only those that work for this run. tree is
// the separate working tree of the run, if any.
func advice(s *openMemory, rec executor.Record, tree *WorktreeLeft) []string {
	e := &rec.Entry
	id := memory.ShortID(e.ID)
	var out []string
	switch rec.Cause {
	case agent.CauseNotStarted:
		return []string{startHint(s.settings, e.Agent)}
	case agent.CauseLogin:
		out = append(out, loginHint(s, e.Agent))
	case agent.CauseSession:
		out = append(out, "the agent keeps its sessions by folder, and not for ever: start anew, without --resume")
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
		out = append(out, fmt.Sprintf("'agentflow run --resume %s %sTASK' goes on with the agent's session", id, limit))
	}
	if rec.MemoryPath != "" && tree == nil {
		out = append(out, undoAdvice(e)...)
	}
	return out
}

func resumable(s *openMemory, rec executor.Record, tree *WorktreeLeft) bool {
	if _, known := builtInNamed(s.settings, rec.Entry.Agent); !known || rec.Entry.Session == "" || rec.MemoryPath == "" {
		return false
	}
	gone := tree != nil && tree.Path == ""
	return !gone && rec.Cause != agent.CauseLogin && rec.Cause != agent.CauseSession
}

// undoAdvice explains how to take a run back, if undo would find changes.
func undoAdvice(e *memory.Entry) []string {
	changes, id := changesOf(e), memory.ShortID(e.ID)
	sure := slices.ContainsFunc(changes, func(c memory.Change) bool { return c.Certainty.Sure() })
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

func loginHint(s *openMemory, agent string) string {
	if b, known := builtInNamed(s.settings, agent); known {
		return b.login
	}
	return "log in to " + agent + ", or give it a key"
}

// allowHints lists hints that allow an agent the denied actions.
func allowHints(s *openMemory, agent string, denials []string) []string {
	if b, known := builtInNamed(s.settings, agent); known && b.allow != "" {
		return []string{b.allow}
	}
	var hints []string
	switch edits := allow.Edits(denials); {
	case edits && s.settings.Claude.PermissionMode == "acceptEdits":
		hints = append(hints, "'agentflow run TASK -- --add-dir FOLDER' lets it edit files outside of its folder")
	case edits:
		hints = append(hints, "'--permission-mode acceptEdits' lets it edit files")
	}
	rules, reasons := allow.Rules(denials)
	if len(rules) > 0 {
		all := slices.Concat(s.settings.Claude.AllowedTools, rules[:min(len(rules), maxAllowed)])
		hints = append(hints, fmt.Sprintf(`[agent.claude] allowed_tools = ["%s"] in your settings lets it do that`, strings.Join(all, `", "`)))
	}
	for _, reason := range reasons[:min(len(reasons), maxAllowed)] {
		hints = append(hints, reason+"; run it yourself if it has to be")
	}
	return hints
}

// maxAllowed bounds the rules that a hint proposes, and the actions that it names.
const maxAllowed = 5

// RunName is a run in a list to choose from.
type RunName struct {
	ID    string // short
	Title string // its task, on one line
}

// RecentRuns returns the newest runs and sessions, at most limit. It is quick and sends no events, and does not recover
// the work of crashed commands.
func RecentRuns(ctx context.Context, m *Memory, limit int) ([]RunName, error) {
	s, err := m.begin(Listen(ctx, nil)).openExisting(ctx)
	if err != nil {
		return nil, err
	}
	var list []RunName
	for b, err := range blocks(s) {
		if err == nil && b.Entry != nil && b.Entry.Kind.ByAgent() {
			list = append(list, RunName{memory.ShortID(b.Entry.ID), titleOf(b.Entry)})
		}
		if len(list) == limit {
			break
		}
	}
	return list, nil
}
