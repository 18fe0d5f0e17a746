package api

import (
	"time"

	"agentflow/memory"
)

// Run is an entry of memory: a run, a commit that no run made, or a note. It
// is what run, show and log give.
type Run struct {
	// ID is the entry's. It is empty for a task of run --parallel that was not
	// begun.
	ID string `json:"id"`
	// Kind is run, commit or note.
	Kind memory.Kind `json:"kind"`
	// Agent is the name of the agent: claude, command, or a name of the settings.
	Agent string `json:"agent"`
	// Task is what the agent was asked to do.
	Task string `json:"task"`
	// StartedAt is when the run began, or the time of the commit or note.
	StartedAt time.Time `json:"started_at"`
	// DurationMS is how long the run took, in milliseconds.
	DurationMS int64 `json:"duration_ms"`
	// Outcome is ok, failed, timeout, interrupted or not_started; empty for
	// entries that are no run.
	Outcome memory.Outcome `json:"outcome"`
	// Success says that the agent, and the verify command where there is one,
	// ended well.
	Success bool `json:"success"`
	// ExitCode is the agent's: 127 when it did not start, -1 when nobody knows it.
	ExitCode int `json:"exit_code"`
	// Summary is the agent's last message.
	Summary string `json:"summary"`
	// Errors say why the run did not end well, a line each.
	Errors []string `json:"errors"`
	// Model is the model that the agent used, where it tells.
	Model string `json:"model"`
	// SessionID is the agent's session, which --resume goes on with.
	SessionID string `json:"session_id"`
	// CostUSD is what the run cost in US dollars; 0 when the agent does not tell.
	CostUSD float64 `json:"cost_usd"`
	// Turns is how many turns the agent took; 0 when it does not tell.
	Turns int `json:"turns"`
	// Denials are the actions that the agent was not permitted, a line each.
	Denials []string `json:"denials"`
	// Branch is the branch that was checked out at the run's end; empty when
	// HEAD was detached.
	Branch string `json:"branch"`
	// Worktree is the name of the linked working tree; empty in the main one.
	Worktree string `json:"worktree"`
	// Commits are those that the run made, the oldest first.
	Commits []RunCommit `json:"commits"`
	// Possible are commits that the run may have made: nothing tells who did.
	Possible []memory.Commit `json:"possible_commits"`
	// Changes are what the commits changed.
	Changes []Change `json:"changes"`
	// Uncommitted are what the run left changed and not committed.
	Uncommitted []Change `json:"uncommitted"`
	// Meanwhile are what somebody else changed while the run was on.
	Meanwhile []Change `json:"meanwhile"`
	// Unread says what of the repository could not be read, a line each. The
	// lists of changes are not complete then.
	Unread []string `json:"unread"`
	// Memories are the facts that the entry holds.
	Memories []Fact `json:"memories"`
	// Remarks are what else happened, a line each: "pulled 3 commits".
	Remarks []string `json:"remarks"`
	// Pinned says that the entry is never forgotten or folded by itself.
	Pinned bool `json:"pinned"`
	// Undone says when the run was taken back; absent when it was not.
	Undone *Undone `json:"undone,omitempty"`
	// Hits are what the prompt held of memory; only of a run that just ended.
	Hits []memory.Hit `json:"hits,omitempty"`
	// Recalled is what memory put in front of the run; of show alone, while the folder of the run is kept.
	Recalled []Shown `json:"recalled,omitempty"`
	// Runs are the ids of the runs that left what a commit holds; absent for runs.
	Runs []string `json:"runs,omitempty"`
	// Later are the commits that took over what the run left uncommitted; of
	// show alone.
	Later []LaterCommit `json:"committed_later,omitempty"`
	// MemoryPath is the Markdown file that holds the entry, absolute; empty when
	// none does.
	MemoryPath string `json:"memory_path"`
	// Degraded says what of memory did not work though the run went on, a line each.
	Degraded []string `json:"degraded"`
	// WorktreePath is where the working tree that the run was given stays; only
	// of a run that just ended.
	WorktreePath string `json:"worktree_path,omitempty"`
	// Hints say what to do about a run that did not end well, a line each; only
	// of a run that just ended.
	Hints []string `json:"hints,omitempty"`
}

// RunCommit is a commit of a run, with what became of it since.
type RunCommit struct {
	memory.Commit
	// State is what became of the commit; empty when that was not looked up.
	State memory.LinkState `json:"state,omitempty"`
	// Now is the full id of the commit that it lives on as, after a rebase or an
	// amend.
	Now string `json:"now,omitempty"`
}

// Undone says when a run was taken back.
type Undone struct {
	// At is the time of the undo.
	At time.Time `json:"at"`
	// Commit is the full id of the commit that took the run's commits back;
	// absent when there was none.
	Commit string `json:"commit,omitempty"`
}

// Change is one path that was changed.
type Change struct {
	// Status is git's letter for the change, or * for a folder that is counted as
	// a whole.
	Status string `json:"status"`
	// Path is relative to the top of the working tree, with '/'.
	Path string `json:"path"`
	// OldPath is the path before a rename or copy; absent otherwise.
	OldPath string `json:"old_path,omitempty"`
	// Added is how many lines were added; null where lines were not counted.
	Added *int `json:"added"`
	// Deleted is how many lines were deleted; null where lines were not counted.
	Deleted *int `json:"deleted"`
	// Files is how many files of a folder were changed; absent for a file.
	Files int `json:"files,omitempty"`
	// Note says what is special: that the file is binary, or large.
	Note string `json:"note,omitempty"`
	// Certainty is how sure it is that the run made the change: shown, likely or
	// possible. It is absent in meanwhile, and of commits that no run made.
	Certainty memory.Certainty `json:"certainty,omitempty"`
	// Mixed says whether somebody else's change is inside: yes, or unknown;
	// absent when there is none. Only diff tells.
	Mixed string `json:"mixed,omitempty"`
}

// Shown is a hit, or a fact of MEMORY.md, that was put in front of a run.
type Shown struct {
	// ID is that of the entry or fact; absent for hand-written text.
	ID string `json:"id,omitempty"`
	// Source is what holds it, as in a hit.
	Source string `json:"source,omitempty"`
	// Path is the file that held it, as in a hit.
	Path string `json:"path"`
	// Line is its first line at that time, from 1.
	Line int `json:"line"`
	// Title is its heading.
	Title string `json:"title,omitempty"`
}

// LaterCommit is a commit that took over what a run left uncommitted.
type LaterCommit struct {
	// ID is the full id.
	ID string `json:"id"`
	// Subject is the first line of the commit's message.
	Subject string `json:"subject"`
	// Paths are those that the commit holds as the run left them.
	Paths []string `json:"paths"`
}

// NewRun is the entry e, which stands in the file at path, as an object.
func NewRun(e memory.Entry, path string) Run {
	r := Run{
		ID: e.ID, Kind: e.Kind, Agent: e.Agent, Task: e.Task, StartedAt: e.Time, Summary: e.Summary,
		Errors: filled(e.Errors), Model: e.Model, SessionID: e.Session, Denials: filled(e.Denials), Branch: e.Branch, Worktree: e.Worktree,
		Commits: []RunCommit{}, Possible: filled(e.PossibleCommits), Changes: NewChanges(e.Changes.Items), Uncommitted: NewChanges(e.Uncommitted.Items),
		Meanwhile: NewChanges(e.Meanwhile.Items), Unread: Unread(e), Memories: NewFacts(e.Facts),
		Remarks: filled(e.Remarks), Pinned: e.Pinned, Runs: e.Runs, MemoryPath: path, Degraded: []string{},
	}
	for _, c := range e.Commits {
		r.Commits = append(r.Commits, RunCommit{Commit: c})
	}
	if result := e.Result; result != nil {
		r.DurationMS, r.Outcome, r.Success, r.ExitCode = result.Duration.Milliseconds(), result.Outcome, result.Success, result.ExitCode
		r.CostUSD, r.Turns = result.CostUSD, result.Turns
		if e.IsUndone() {
			r.Undone = &Undone{result.Undone, result.RevertedBy}
		}
	}
	return r
}

// NewChanges are changes as objects; never nil.
func NewChanges(changes []memory.Change) []Change {
	out := []Change{}
	for _, c := range changes {
		o := Change{Status: string(c.Status), Path: c.Path, OldPath: c.OldPath, Files: c.Files, Note: c.Note, Certainty: c.Certainty}
		if c.Counted {
			o.Added, o.Deleted = &c.Added, &c.Deleted
		}
		out = append(out, o)
	}
	return out
}

// Unread says what of the repository could not be read for an entry, a line
// each; never nil.
func Unread(e memory.Entry) []string {
	out := []string{}
	for _, changes := range []memory.ChangeList{e.Changes, e.Uncommitted, e.Meanwhile} {
		if changes.Unread != "" {
			out = append(out, changes.Unread)
		}
	}
	return out
}
