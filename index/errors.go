package index

import (
	"errors"

	"agentflow/index/store"
)

// ErrBusy is returned by Sync, Rebuild and Purge when another process held
// the write lock for as long as the context allowed. Searching still works
// and answers from the last finished sync.
var ErrBusy = store.ErrBusy

// ErrNotReady is returned by Search when the index is of another version and
// no Sync could replace it yet.
var ErrNotReady = errors.New("the index is of another version and was not rebuilt yet")
