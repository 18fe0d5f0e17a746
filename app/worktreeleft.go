package app

import "fmt"

// WorktreeLeft is what became of a run's work tree and its branch.
type WorktreeLeft struct {
	Path   string   // empty: it was removed
	Branch string   // the branch with the run's commits; empty: there is none
	Text   string   // what became of it, in a line
	Steps  []string // commands to view, take over and tidy up the run's work, in this order
}

// Describe says what became of the work tree. fresh means that its branch was made for it.
func (l *WorktreeLeft) Describe(why string, fresh bool) string {
	switch {
	case l.Path == "" && l.Branch == "" && fresh:
		return "nothing was changed: the work tree and its branch are gone"
	case l.Path == "" && l.Branch == "":
		return "nothing was changed: the work tree is gone"
	case l.Path == "":
		return "the work tree is gone; its commits are on branch " + l.Branch
	}
	text := fmt.Sprintf("work tree %s on branch %s", l.Path, l.Branch)
	if why != "" {
		text += " stays: " + why
	}
	return text
}
