package worktree

// RunName is a run in a list to choose from.
type RunName struct {
	ID    string // short
	Title string // its task, on one line
}
