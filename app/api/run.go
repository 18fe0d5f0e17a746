package api

import (
	"time"

	"agentflow/memory"
	"agentflow/memory/changeset"
	"agentflow/memory/retrieval"
)

// Run is an entry of memory: a run, some turns of a session, a commit that
// neither made, or a note. It is what run, show and log give.
type Run struct {
	ID           string             `json:"id"`                        // the entry's; it is empty for a task of run --parallel that was not begun
	Kind         memory.Kind        `json:"kind"`                      // run, session, commit or note
	Agent        string             `json:"agent"`                     // the name of the agent: claude, command, or a name of the settings
	Task         string             `json:"task"`                      // what the agent was asked to do
	Then         []string           `json:"then,omitempty"`            // the later prompts of a session that say more than "go on", each on one line and cut to 200 characters; absent of what is no session
	StartedAt    time.Time          `json:"started_at"`                // when the run began, or the time of the commit or note
	DurationMS   int64              `json:"duration_ms"`               // how long the run took, or how long the agent worked on the prompts of a session, in milliseconds
	Outcome      memory.Outcome     `json:"outcome"`                   // ok, failed, timeout, interrupted or not_started; empty for entries that are no run
	Open         bool               `json:"open,omitempty"`            // a session that has not ended, with what it did since its last entry; of log alone
	Success      bool               `json:"success"`                   // the agent, and the verify command where there is one, ended well
	ExitCode     int                `json:"exit_code"`                 // the agent's: 127 when it did not start, -1 when nobody knows it
	Author       string             `json:"author,omitempty"`          // who shares it; absent for the user's own
	Summary      string             `json:"summary"`                   // what the messages of the agent explain of the change: what and why, at most 120 words
	Errors       []string           `json:"errors"`                    // why the run did not end well, a line each
	Model        string             `json:"model"`                     // the model that the agent used, where it tells
	SessionID    string             `json:"session_id"`                // the agent's session, which --resume goes on with
	CostUSD      float64            `json:"cost_usd"`                  // what the run cost in US dollars; 0 when the agent does not tell
	Turns        int                `json:"turns"`                     // how many turns the agent took (its messages, not the prompts of a session); 0 when it does not tell
	Denials      []string           `json:"denials"`                   // the actions that the agent was not permitted, a line each
	Checks       []string           `json:"checks"`                    // the tests and linters that ran, and how they ended
	Branch       string             `json:"branch"`                    // the branch that was checked out at the run's end; empty when HEAD was detached
	Worktree     string             `json:"worktree"`                  // the name of the linked working tree; empty in the main one
	Commits      []RunCommit        `json:"commits"`                   // those that the run made, the oldest first
	Possible     []changeset.Commit `json:"possible_commits"`          // commits that the run may have made: nothing tells who did
	Changes      []Change           `json:"changes"`                   // what the commits changed
	Uncommitted  []Change           `json:"uncommitted"`               // what the run changed in files and did not commit
	Meanwhile    []Change           `json:"meanwhile"`                 // what somebody else changed while the run was on
	Elsewhere    []Change           `json:"elsewhere,omitempty"`       // what the agent's file tools wrote outside of the run's working tree; absent when there is none
	Unread       []string           `json:"unread"`                    // what of the repository could not be read, a line each; the lists of changes are not complete then
	Memories     []Fact             `json:"memories"`                  // the facts that the entry holds
	Remarks      []string           `json:"remarks"`                   // what else happened, a line each: "pulled 3 commits"
	Pinned       bool               `json:"pinned"`                    // the entry is never forgotten or folded by itself
	Undone       *Undone            `json:"undone,omitempty"`          // when the run was taken back; absent when it was not
	Hits         []retrieval.Hit    `json:"hits,omitempty"`            // what the prompt held of memory; only of a run that just ended
	Recalled     []Shown            `json:"recalled,omitempty"`        // the entries that memory put in front of the run, as forget --hit numbers them; of show alone, while the folder of the run is kept
	Facts        []Shown            `json:"recalled_facts,omitempty"`  // the facts of MEMORY.md that memory put in front of the run, before those; of show alone, while the folder of the run is kept
	Runs         []string           `json:"runs,omitempty"`            // the ids of the runs that left what a commit holds; absent for runs
	Later        []LaterCommit      `json:"committed_later,omitempty"` // the commits that took over what the run left uncommitted; of show alone
	MemoryPath   string             `json:"memory_path"`               // the Markdown file that holds the entry, absolute, from a team's server below its folder; empty when none does
	Degraded     []string           `json:"degraded"`                  // what of memory did not work though the run went on, a line each
	WorktreePath string             `json:"worktree_path,omitempty"`   // where the working tree that the run was given stays; only of a run that just ended
	Hints        []string           `json:"hints,omitempty"`           // what to do about a run that did not end well, a line each; only of a run that just ended
}

// RunCommit is a commit of a run, with what became of it since.
type RunCommit struct {
	changeset.Commit
	State retrieval.LinkState `json:"state,omitempty"` // what became of the commit; empty when that was not looked up
	Now   string              `json:"now,omitempty"`   // the full id of the commit that it lives on as, after a rebase or an amend
}

// Undone says when a run was taken back.
type Undone struct {
	At     time.Time `json:"at"`               // the time of the undo
	Commit string    `json:"commit,omitempty"` // the full id of the commit that took the run's commits back; absent when there was none
}

// Change is one path that was changed.
type Change struct {
	Status    string              `json:"status"`              // git's letter for the change, or * for a folder that is counted as a whole
	Path      string              `json:"path"`                // relative to the top of the working tree, with '/'; in elsewhere: relative to the top of the main working tree, or else absolute, with "~" for the user's home
	Tree      string              `json:"tree,omitempty"`      // the working tree that holds the path, in the form of the path; only in elsewhere, and absent outside of any working tree
	OldPath   string              `json:"old_path,omitempty"`  // the path before a rename or copy; absent otherwise
	Added     *int                `json:"added"`               // how many lines were added; null where lines were not counted
	Deleted   *int                `json:"deleted"`             // how many lines were deleted; null where lines were not counted
	Files     int                 `json:"files,omitempty"`     // how many files of a folder were changed; absent for a file
	Note      string              `json:"note,omitempty"`      // a remark: that the file is binary or large, or where another person put the change ("committed meanwhile in 1a2b3c4")
	Certainty changeset.Certainty `json:"certainty,omitempty"` // how sure it is that the run made the change: shown, likely or possible; absent in meanwhile, and of commits
	Mixed     string              `json:"mixed,omitempty"`     // whether somebody else's change is inside: yes, or unknown; absent when there is none; only diff tells
}

// Shown is a hit, or a fact of MEMORY.md, that was put in front of a run.
type Shown struct {
	ID     string `json:"id,omitempty"`     // that of the entry or fact; absent for hand-written text
	Source string `json:"source,omitempty"` // what holds it, as in a hit
	Path   string `json:"path"`             // the file that held it, as in a hit
	Line   int    `json:"line"`             // its first line at that time, from 1
	Title  string `json:"title,omitempty"`  // its heading
	Judged string `json:"judged,omitempty"` // id of the judgement that it was of no use to this run, where somebody said so
}

// LaterCommit is a commit that took over what a run left uncommitted.
type LaterCommit struct {
	ID      string   `json:"id"`      // the full id
	Subject string   `json:"subject"` // the first line of the commit's message
	Paths   []string `json:"paths"`   // those that the commit holds as the run left them
}

// NewRun returns the entry e, which the file at path holds, as a JSON object.
func NewRun(e memory.Entry, path string) Run {
	r := Run{
		ID: e.ID, Kind: e.Kind, Agent: e.Agent, Task: e.Task, Then: e.Then, StartedAt: e.Time, Summary: e.Summary,
		Errors: filled(e.Errors), Model: e.Model, SessionID: e.Session, Denials: filled(e.Denials), Checks: filled(e.Checks), Branch: e.Branch, Worktree: e.Worktree,
		Commits: []RunCommit{}, Possible: filled(e.PossibleCommits), Changes: NewChanges(e.Changes.Items), Uncommitted: NewChanges(e.Uncommitted.Items),
		Meanwhile: NewChanges(e.Meanwhile.Items), Unread: Unread(e), Memories: NewFacts(e.Facts),
		Elsewhere: NewChanges(e.Elsewhere.Items), Remarks: filled(e.Remarks), Pinned: e.Pinned, Runs: e.Runs, MemoryPath: path, Degraded: []string{},
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

// NewChanges returns changes as JSON objects. The list is never nil.
func NewChanges(changes []changeset.Change) []Change {
	out := []Change{}
	for _, c := range changes {
		o := Change{Status: string(c.Status), Path: c.Path, Tree: c.Tree, OldPath: c.OldPath, Files: c.Files, Note: c.Note, Certainty: c.Certainty}
		if c.Counted {
			o.Added, o.Deleted = &c.Added, &c.Deleted
		}
		out = append(out, o)
	}
	return out
}

// Unread lists the parts of the repository that could not be read for an entry, one per line. The
// list is never nil.
func Unread(e memory.Entry) []string {
	out := []string{}
	for _, changes := range []changeset.List{e.Changes, e.Uncommitted, e.Meanwhile} {
		if changes.Unread != "" {
			out = append(out, changes.Unread)
		}
	}
	return out
}
