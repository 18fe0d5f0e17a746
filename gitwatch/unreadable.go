package gitwatch

import (
	"context"
	"encoding/json"

	"agentflow/gitwatch/internal/git"
	"agentflow/memory"
)

// Unreadable stands for a repository that could not be opened. It has Repo's
// methods, and every answer it gives is "could not read".
type Unreadable struct{ err error }

// NewUnreadable returns the stand-in for a repository whose Open returned err.
func NewUnreadable(err error) Unreadable { return Unreadable{err} }

// Snapshot returns the error that Open returned.
func (u Unreadable) Snapshot(context.Context, string) (json.RawMessage, error) {
	return nil, u.err
}

// Compare says in every list why nothing could be read.
func (u Unreadable) Compare(context.Context, json.RawMessage, Evidence) ChangeSet {
	return unreadSet(u.err)
}

// Head returns the error that Open returned.
func (u Unreadable) Head(context.Context) (branch, commit string, err error) {
	return "", "", u.err
}

// Subjects returns no subjects.
func (u Unreadable) Subjects(context.Context, []string) map[string]string { return nil }

// orUnread, deferred, answers "could not read" where reading broke.
func (r *Repo) orUnread(set *ChangeSet) {
	if err := git.Panic(recover()); err != nil {
		*set = unreadSet(err)
		set.Worktree = r.at.linked
	}
}

func unreadSet(err error) ChangeSet {
	why := memory.ChangeList{Unread: git.OneLine(err.Error())}
	return ChangeSet{Changes: why, Uncommitted: why, Meanwhile: why}
}
