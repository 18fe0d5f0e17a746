package app

import (
	"context"
	"sync"
)

// Topics are functions of other topics that opening a memory needs. Open sets them, so that the topics can use the
// memory and not the other way round.
type Topics struct {
	// recover completes the work that crashed commands left in the log and in the run folders, and records the commits
	// that hooks noted.
	Recover func(context.Context, *Repo)
	// CatchUp completes the unfinished work of other processes as far as reading needs it.
	CatchUp func(context.Context, *Repo)
	// remembering lists the agents that are connected so that memory records their sessions.
	Remembering func(*Operation) []string
}

// Values holds what topics keep for a Memory as long as it is open. It is safe for concurrent use.
type Values struct{ byKey sync.Map }

// Of returns the value of a key. The first call for the key stores a new value.
func (v *Values) Of(key, value any) any {
	kept, _ := v.byKey.LoadOrStore(key, value)
	return kept
}
