package api

import (
	"agentflow/memory"
	"agentflow/memory/changeset"
)

// Diff is what one run, or one commit, changed.
type Diff struct {
	ID       string             `json:"id"`               // the entry's
	Kind     memory.Kind        `json:"kind"`             // run, session or commit
	Title    string             `json:"title"`            // the entry's title
	Commits  []changeset.Commit `json:"commits"`          // those of the run, the oldest first
	Possible []changeset.Commit `json:"possible_commits"` // commits that the run may have made: nothing tells who did
	Complete bool               `json:"complete"`         // nothing of what the run changed is left out
	Changes  []Change           `json:"changes"`          // in the order of their paths
	LeftOut  []LeftOut          `json:"left_out"`         // the paths whose change cannot be shown, and why
	Swept    []string           `json:"swept"`            // paths that the run only committed: they had been changed before it, or by somebody else
}

// LeftOut is a path that is left out, and why.
type LeftOut struct {
	Path string `json:"path"` // relative to the top of the working tree; it is empty for a reason about the whole
	Why  string `json:"why"`  // one line
}

// Undo is what an undo of a run does, or would do.
type Undo struct {
	ID              string             `json:"id"`                  // the run's
	Restore         []string           `json:"restore"`             // the paths that get their contents or their mode back
	Remove          []string           `json:"remove"`              // the paths that are deleted
	Unstage         []string           `json:"unstage"`             // the paths that only the index holds as the run left them
	Revert          []changeset.Commit `json:"revert"`              // the commits that one new commit takes back, the newest first
	Possible        []string           `json:"possible"`            // the paths that may be somebody else's, and stay
	PossibleCommits []changeset.Commit `json:"possible_commits"`    // the commits that may be somebody else's, and stay
	Swept           []string           `json:"swept"`               // paths that the run only committed, and that stay
	Refused         []LeftOut          `json:"refused"`             // why nothing can be taken back
	Stays           []LeftOut          `json:"stays"`               // files that stay, as their earlier contents cannot be had
	Elsewhere       []string           `json:"elsewhere,omitempty"` // the paths that the run wrote outside of its working tree, and that stay; absent when there are none
	Done            bool               `json:"done"`                // everything is taken back but possible and swept
	Commit          string             `json:"commit"`              // the full id of the new commit; empty when none was made
	Aside           string             `json:"aside"`               // the folder with the files that were removed or overwritten and were nowhere else; empty when there were none
}
