package app

import (
	"runtime"
	"strings"
	"time"

	"agentflow/config"
	"agentflow/memory"
)

// operation is one thing that was asked of a Memory: whom it tells what
// happens, and where it was asked.
type operation struct {
	*degradations             // that a result lists
	tell          func(Event) // hears what happens
	quiet         bool        // nobody reads notices
	getenv        func(string) string
	environ       []string
	dir           string        // where it was asked
	lockWait      time.Duration // of appends
	editWait      time.Duration // of edits; 0: the store's choice
	indexes       *indexPool
	notices       *notices // of embedders; nil until a memory is opened
}

// dirs are the user's own folders.
func (o *operation) dirs() (config.Dirs, error) { return config.UserDirs(o.getenv, runtime.GOOS) }

// cleanLine is text from outside on one line, without control characters.
func cleanLine(s string) string {
	return strings.ReplaceAll(memory.Clean(s), "\n", " ")
}
