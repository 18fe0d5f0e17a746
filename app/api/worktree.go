package api

import "time"

// RunWorktree is the linked working tree and the branch that a run was given.
type RunWorktree struct {
	Ref         string     `json:"ref"`         // names it to worktree merge and worktree rm
	Run         string     `json:"run"`         // full id of the run that goes on in it, or else of the newest that worked in it; empty when memory holds none
	Task        string     `json:"task"`        // what that run was asked to do; empty when memory holds none
	StartedAt   *time.Time `json:"started_at"`  // when that run began; null when memory holds none
	Branch      string     `json:"branch"`      // that is checked out; empty when HEAD is detached
	Path        string     `json:"path"`        // its folder, absolute; empty when only the branch is left
	State       string     `json:"state"`       // running while a run goes on in it; else dirty or clean; gone when its folder is; branch when only that is left; unfinished when git was ended while it made the tree; unusable when the folder cannot be read as a working tree of this repository
	Uncommitted int        `json:"uncommitted"` // changed and untracked paths; an untracked folder counts as one
	Ignored     int        `json:"ignored"`     // paths that git ignores, counted in the same way
	Ahead       int        `json:"ahead"`       // its commits that are not in what is checked out where it was asked
	MergedInto  string     `json:"merged_into"` // a branch of yours that has all its commits; empty when none has
	Note        string     `json:"note"`        // why it is unusable, and what to do; empty otherwise
}

// MergedWorktree is what worktree merge did.
type MergedWorktree struct {
	Branch    string `json:"branch"`    // that was merged
	Into      string `json:"into"`      // the branch that was checked out
	Commits   int    `json:"commits"`   // that it brought; 0 when they were all there
	Commit    string `json:"commit"`    // full id of the commit that the branch stands at now
	Concluded bool   `json:"concluded"` // false when git's settings leave the commit to you
}

// RemovedWorktree is what worktree rm removed.
type RemovedWorktree struct {
	Path   string `json:"path"`   // of the working tree, absolute; empty when only the branch was left
	Branch string `json:"branch"` // that was removed; empty when it stays, or HEAD was detached
	Commit string `json:"commit"` // full id of the commit that was checked out, or that the branch stood at
	Lost   string `json:"lost"`   // what was removed with --force though it is nowhere else; empty otherwise
}
