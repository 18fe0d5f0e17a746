package index

import (
	"errors"

	"agentflow/index/store"
)

// ErrBusy reports from Sync, Rebuild and Purge that another process held the
// write lock for as long as the context allowed. Search still works and answers
// from the last finished sync.
var ErrBusy = store.ErrBusy

// ErrNotReady reports from Search that the index has another version and no
// Sync could replace it yet.
var ErrNotReady = errors.New("the index is of another version and was not rebuilt yet")
