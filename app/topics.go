package app

import (
	"agentflow/memory/digest"
	"context"
	"sync"
)

// Topics holds functions of packages below app that opening a memory needs. Package app/open sets them, because app
// cannot import these packages.
type Topics struct {
	// Recover completes the work that crashed commands left in the log and in the run folders, and records the commits
	// that hooks noted.
	Recover func(context.Context, *Repo)
	// CatchUp completes the unfinished work of other processes as far as reading needs it.
	CatchUp func(context.Context, *Repo)
	// Holding returns a function that reports whether a memory file may hold something with one of the names.
	Holding func(ctx context.Context, s *Repo, names ...digest.Name) func(file string) bool
	// Remembering lists the agents that are connected so that memory records their sessions.
	Remembering func(*Operation) []string
}

// Values holds the values that packages below app keep for a Memory as long as it is open. It is safe for concurrent use.
type Values struct{ byKey sync.Map }

// Of returns the value of a key. The first call for the key stores a new value.
func (v *Values) Of(key, value any) any {
	kept, _ := v.byKey.LoadOrStore(key, value)
	return kept
}
