package executor

import (
	"context"
	"encoding/json"
	"time"

	"agentflow/gitwatch/calls"
	"agentflow/memory"
	"agentflow/prompt"
)

// Recaller finds what memory holds about a task. It is given a context that
// ends at the recall deadline.
type Recaller interface {
	// Recall returns what there is. Its degraded lines count with an error
	// too.
	Recall(ctx context.Context, task string) (Known, error)
}

// Known is what memory holds about a task.
type Known struct {
	Hits       []memory.Hit  // best first
	Facts      []prompt.Fact // of MEMORY.md, in any order
	Namespaces []string      // in which facts count, beside the project's
	// Degraded says, a line each, what was not used (for example that the index
	// could not be brought up to date); it is not an error.
	Degraded []string
}

// Recorder puts a finished run into memory.
type Recorder interface {
	// Record writes e exactly once, whatever was interrupted before: a second
	// call with the same e.ID is no second entry. It returns the Markdown
	// file's path, and degraded lines for what did not work though the entry
	// is safe (for example that the index will catch up later).
	Record(ctx context.Context, e memory.Entry) (path string, degraded []string, err error)
}

// Workspace sees what a run changed in the repository.
type Workspace interface {
	// Snapshot records the state before the run. dir is the run's folder:
	// contents that Compare needs are kept there, in folders or in files whose
	// names begin with "before", which go when the run is recorded. The result
	// goes into the journal, so Compare can happen in another process.
	Snapshot(ctx context.Context, dir string) (json.RawMessage, error)
	// Compare says what the run changed since before was taken. It never
	// fails as a whole: what could not be read is said in the lists.
	Compare(ctx context.Context, before json.RawMessage, ev Evidence) ChangeSet
}

// Evidence is what is known about a run beside the repository itself.
type Evidence struct {
	Dir       string    // the run's folder, with refs.log
	Started   time.Time //
	Ended     time.Time // zero for a recovered run
	Shared    bool      // another run was active in this work tree at the same time
	Recovered bool      // found by a later command: only refs.log and Calls count
	// Keep says whether contents may be left in Dir, where looking back at the
	// run needs them: those that hold a secret may not. Nil leaves nothing.
	Keep func(content []byte) bool

	LastSeen time.Time // of a recovered run, the last sign that it was on

	Tells   bool         // the agent tells of its tool calls; otherwise the whole run is one
	Calls   []calls.Call // the run's tool calls that may have changed files
	Others  []calls.Call // those of other runs that were active in this work tree at the same time
	OwnTree bool         // the work tree was made for this run
}

// ChangeSet is what a run changed.
type ChangeSet struct {
	Branch, Worktree, Base          string
	Commits                         []memory.Commit
	Patch                           []string
	PossibleCommits                 []memory.Commit // nothing tells whose they are
	Changes, Uncommitted, Meanwhile memory.ChangeList
	Remarks                         []string // "pulled 3 commits"
}
