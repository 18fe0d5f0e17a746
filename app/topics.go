package app

import (
	"context"
	"sync"
)

// topics are functions of other topics that opening a memory needs. Open sets them, so that the topics can use the
// memory and not the other way round.
type topics struct {
	// recover completes the work that crashed commands left in the log and in the run folders, and records the commits
	// that hooks noted.
	recover func(context.Context, *openMemory)
	// catchUp completes the unfinished work of other processes as far as reading needs it.
	catchUp func(context.Context, *openMemory)
	// remembering lists the agents that are connected so that memory records their sessions.
	remembering func(*operation) []string
}

// values holds what topics keep for a Memory as long as it is open. It is safe for concurrent use.
type values struct{ byKey sync.Map }

// of returns the value of a key. The first call for the key stores a new value.
func (v *values) of(key, value any) any {
	kept, _ := v.byKey.LoadOrStore(key, value)
	return kept
}
