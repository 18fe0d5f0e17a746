package app

import (
	"time"

	"agentflow/api"
	"agentflow/executor"
	"agentflow/gitwatch/edits"
	"agentflow/gitwatch/links"
	"agentflow/memory"
)

// runObject is a run as `run --json`, `show --json` and `log --json` print
// it. Fields are documented in the README and stay as they are.
type runObject struct {
	ID          string              `json:"id"`
	Kind        memory.Kind         `json:"kind"`
	Agent       string              `json:"agent"`
	Task        string              `json:"task"`
	StartedAt   time.Time           `json:"started_at"`
	DurationMS  int64               `json:"duration_ms"`
	Outcome     memory.Outcome      `json:"outcome"`
	Success     bool                `json:"success"`
	ExitCode    int                 `json:"exit_code"`
	Summary     string              `json:"summary"`
	Errors      []string            `json:"errors"`
	Model       string              `json:"model"`
	SessionID   string              `json:"session_id"`
	CostUSD     float64             `json:"cost_usd"`
	Turns       int                 `json:"turns"`
	Denials     []string            `json:"denials"`
	Branch      string              `json:"branch"`
	Worktree    string              `json:"worktree"` // name of the linked work tree; empty in the main one
	Commits     []commitObject      `json:"commits"`
	Possible    []memory.Commit     `json:"possible_commits"` // that the run may have made: nothing tells who did
	Changes     []changeObject      `json:"changes"`
	Uncommitted []changeObject      `json:"uncommitted"`
	Meanwhile   []changeObject      `json:"meanwhile"`
	Unread      []string            `json:"unread"` // what of the repository could not be read; the lists are then not complete
	Memories    []api.Fact          `json:"memories"`
	Remarks     []string            `json:"remarks"`
	Pinned      bool                `json:"pinned"`
	Undone      *undoneObject       `json:"undone,omitempty"`
	Hits        []memory.Hit        `json:"hits,omitempty"`
	Recalled    []executor.Shown    `json:"recalled,omitempty"`
	Runs        []string            `json:"runs,omitempty"`            // of a commit: ids of the runs that left what it holds
	Later       []links.LaterCommit `json:"committed_later,omitempty"` // the commits that took over what the run left
	MemoryPath  string              `json:"memory_path"`               // absolute; empty when the entry is in no file
	Degraded    []string            `json:"degraded"`

	// WorktreePath is where the work tree that a run was given stays; only of
	// one that just ended.
	WorktreePath string `json:"worktree_path,omitempty"`
	// Hints are what to do about a run that did not end well; only of one that
	// just ended.
	Hints []string `json:"hints,omitempty"`
}

// undoneObject says when a run was taken back.
type undoneObject struct {
	At     time.Time `json:"at"`
	Commit string    `json:"commit,omitempty"` // that took its commits back
}

type changeObject struct {
	Status  string `json:"status"`
	Path    string `json:"path"`
	OldPath string `json:"old_path,omitempty"`
	Added   *int   `json:"added"` // null where lines were not counted
	Deleted *int   `json:"deleted"`
	Files   int    `json:"files,omitempty"`
	Note    string `json:"note,omitempty"`
	// Certainty is that the run made the change; none in meanwhile, and of the
	// commits that no run made.
	Certainty memory.Certainty `json:"certainty,omitempty"`
	Mixed     edits.Mixed      `json:"mixed,omitempty"` // somebody else's change is inside: in diff alone
}

// newRunObject turns an entry into its JSON form. Lists are never null.
func newRunObject(e memory.Entry, path string) runObject {
	o := runObject{
		ID: e.ID, Kind: e.Kind, Agent: e.Agent, Task: e.Task, StartedAt: e.Time, Summary: e.Summary,
		Errors: filled(e.Errors), Model: e.Model, SessionID: e.Session, Denials: filled(e.Denials), Branch: e.Branch, Worktree: e.Worktree,
		Commits: commitObjects(e.Commits), Possible: filled(e.PossibleCommits), Changes: changeObjects(e.Changes), Uncommitted: changeObjects(e.Uncommitted),
		Meanwhile: changeObjects(e.Meanwhile), Unread: unread(e), Memories: api.NewFacts(e.Facts),
		Remarks: filled(e.Remarks), Pinned: e.Pinned, Runs: e.Runs, MemoryPath: path, Degraded: []string{},
	}
	if r := e.Result; r != nil {
		o.DurationMS, o.Outcome, o.Success, o.ExitCode = r.Duration.Milliseconds(), r.Outcome, r.Success, r.ExitCode
		o.CostUSD, o.Turns = r.CostUSD, r.Turns
		if e.IsUndone() {
			o.Undone = &undoneObject{r.Undone, r.RevertedBy}
		}
	}
	return o
}

func filled[T any](list []T) []T { return append([]T{}, list...) }

func changeObjects(list memory.ChangeList) []changeObject {
	out := []changeObject{}
	for _, c := range list.Items {
		o := changeObject{Status: string(c.Status), Path: c.Path, OldPath: c.OldPath, Files: c.Files, Note: c.Note, Certainty: c.Certainty}
		if c.Counted {
			o.Added, o.Deleted = &c.Added, &c.Deleted
		}
		out = append(out, o)
	}
	return out
}

func unread(e memory.Entry) []string {
	out := []string{}
	for _, list := range []memory.ChangeList{e.Changes, e.Uncommitted, e.Meanwhile} {
		if list.Unread != "" {
			out = append(out, list.Unread)
		}
	}
	return out
}
