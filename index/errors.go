package index

import (
	"errors"

	"agentflow/index/store"
)

// ErrBusy is returned by Sync, Rebuild and Purge if another process held the
// write lock for as long as the context allowed. Search still works and answers
// from the last finished sync.
var ErrBusy = store.ErrBusy

// ErrNotReady is returned by Search if the index has another version and no
// Sync could replace it yet.
var ErrNotReady = errors.New("the index is of another version and was not rebuilt yet")
