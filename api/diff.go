package api

import "agentflow/memory"

// Diff is what one run, or one commit, changed.
type Diff struct {
	// ID is the entry's.
	ID string `json:"id"`
	// Kind is run or commit.
	Kind memory.Kind `json:"kind"`
	// Title is the first line of the task, or the commit's subject.
	Title string `json:"title"`
	// Commits are those of the run, the oldest first.
	Commits []memory.Commit `json:"commits"`
	// Possible are commits that the run may have made: nothing tells who did.
	Possible []memory.Commit `json:"possible_commits"`
	// Complete says that nothing of what the run changed is left out.
	Complete bool `json:"complete"`
	// Changes are in the order of their paths.
	Changes []Change `json:"changes"`
	// LeftOut are the paths whose change cannot be shown, and why.
	LeftOut []LeftOut `json:"left_out"`
	// Swept are paths that the run only committed: they had been changed before
	// it, or by somebody else.
	Swept []string `json:"swept"`
}

// LeftOut is a path that is left out, and why.
type LeftOut struct {
	// Path is relative to the top of the working tree. It is empty for a reason
	// about the whole.
	Path string `json:"path"`
	// Why is one line.
	Why string `json:"why"`
}

// Undo is what an undo of a run does, or would do.
type Undo struct {
	// ID is the run's.
	ID string `json:"id"`
	// Restore are the paths that get their contents or their mode back.
	Restore []string `json:"restore"`
	// Remove are the paths that are deleted.
	Remove []string `json:"remove"`
	// Unstage are the paths that only the index holds as the run left them.
	Unstage []string `json:"unstage"`
	// Revert are the commits that one new commit takes back, the newest first.
	Revert []memory.Commit `json:"revert"`
	// Possible are the paths that may be somebody else's, and stay.
	Possible []string `json:"possible"`
	// PossibleCommits are the commits that may be somebody else's, and stay.
	PossibleCommits []memory.Commit `json:"possible_commits"`
	// Swept are paths that the run only committed, and that stay.
	Swept []string `json:"swept"`
	// Refused says why nothing can be taken back.
	Refused []LeftOut `json:"refused"`
	// Stays are files that stay, as their earlier contents cannot be had.
	Stays []LeftOut `json:"stays"`
	// Done says that everything is taken back but possible and swept.
	Done bool `json:"done"`
	// Commit is the full id of the new commit; empty when none was made.
	Commit string `json:"commit"`
	// Aside is the folder with the files that were removed or overwritten and
	// were nowhere else; empty when there were none.
	Aside string `json:"aside"`
}
