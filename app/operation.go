package app

import (
	"io"
	"runtime"
	"sync/atomic"

	"agentflow/config"

	"github.com/spf13/cobra"
)

// operation is one thing that was asked of a Memory: whom it tells what
// happens, and where it was asked.
type operation struct {
	voice
	*degradations             // what a result tells of them
	hearProgress  func(Event) // hears EventProgress
	in            io.Reader
	inTTY         bool
	getenv        func(string) string
	environ       []string
	dir           string // where it was asked
	told          *told  // of embedders; nil until a site is opened
	// stopSignals ends the handling of signals that every command has, for a
	// command with its own.
	stopSignals func()
	endless     *atomic.Bool // a signal is the normal end of this command; nil where no signals are obeyed
	root        func() *cobra.Command
}

// dirs are the user's own folders.
func (a *operation) dirs() (config.Dirs, error) { return config.UserDirs(a.getenv, runtime.GOOS) }
