package gitwatch

import (
	"context"
	"encoding/json"
	"time"

	"agentflow/gitwatch/internal/git"
)

// Unreadable replaces a repository that could not be opened. It has Repo's methods, and its answer
// is always "could not read".
type Unreadable struct{ err error }

// NewUnreadable returns an Unreadable for a repository for which Open returned err.
func NewUnreadable(err error) Unreadable { return Unreadable{err} }

// Snapshot returns the error that Open returned.
func (u Unreadable) Snapshot(context.Context, string, time.Time, func()) (json.RawMessage, error) {
	return nil, u.err
}

// Compare returns a set in which every list says why nothing could be read.
func (u Unreadable) Compare(context.Context, json.RawMessage, Evidence) ChangeSet {
	return ChangeSet{}.AllUnread(git.OneLine(u.err.Error()))
}

// Head returns the error that Open returned.
func (u Unreadable) Head(context.Context) (branch, commit string, err error) {
	return "", "", u.err
}

// Subjects returns no subjects.
func (u Unreadable) Subjects(context.Context, []string) map[string]string { return nil }
