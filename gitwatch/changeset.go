package gitwatch

import (
	"time"

	"agentflow/gitwatch/calls"
	"agentflow/memory"
)

// Evidence is what is known about a run beside the repository itself.
type Evidence struct {
	Dir       string    // the run's folder, with refs.log and before/
	Started   time.Time // commits older than this are not the run's
	Ended     time.Time // zero for a recovered run
	Shared    bool      // another run was active in this work tree at the same time
	Recovered bool      // found by a later command: only refs.log and Calls count
	// Keep says whether contents may be left in Dir for edits.Load: those that
	// hold a secret may not. Nil leaves nothing there.
	Keep func(content []byte) bool

	LastSeen time.Time // of a recovered run, the last sign that it was on

	// Tells says that the agent tells of its tool calls: a path that changed
	// in none of them was changed by somebody else. Otherwise the whole run is
	// one call, which names nothing.
	Tells bool
	// Calls are the run's tool calls that may have changed files, in any order.
	Calls []calls.Call
	// Others are the calls of the other runs that were active in this work
	// tree at the same time.
	Others []calls.Call
	// OwnTree says that the work tree was made for this run.
	OwnTree bool
}

func (ev Evidence) ofRun() runEvidence {
	return runEvidence{started: ev.Started, ended: ev.Ended, lastSeen: ev.LastSeen, tells: ev.Tells, ownTree: ev.OwnTree, calls: ev.Calls, others: ev.Others}
}

// ChangeSet is what a run changed. Changes, Uncommitted and Meanwhile are
// sorted by path; a path is in at most one of Uncommitted and Meanwhile
// unless commits of others changed it too.
type ChangeSet struct {
	Branch   string          // short branch name at the start; empty when detached
	Worktree string          // name of the linked work tree; empty in the main one
	Base     string          // full id of HEAD at the start; empty when unborn
	Commits  []memory.Commit // the run's commits, oldest first
	Patch    []string        // their stable patch ids, where known
	// PossibleCommits are commits made meanwhile of which nothing tells whose
	// they are: git traced nobody, and a call of the run may have made them.
	PossibleCommits []memory.Commit

	Changes     memory.ChangeList // net effect of Commits
	Uncommitted memory.ChangeList // net work-tree edits of the run
	Meanwhile   memory.ChangeList // what else moved, or cannot be told apart

	Remarks []string // one line each: "pulled 3 commits"
}
