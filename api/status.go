package api

// Worktree is a work tree that was made for a run which is over.
type Worktree struct {
	Path   string `json:"path"`   // absolute
	Branch string `json:"branch"` // empty when detached
	Remove string `json:"remove"` // the command that takes the work tree away; it refuses while work is only there
}
