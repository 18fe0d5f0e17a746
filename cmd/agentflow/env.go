package main

import (
	"io"
	"sync/atomic"

	"agentflow/app"
	"agentflow/internal/terminal"

	"github.com/spf13/cobra"
)

// cli is the context of every command: the three streams, the environment,
// the voice and the memory of the folder that the command was given in.
type cli struct {
	voice
	in      io.Reader
	inTTY   bool
	dir     string // where the command was given
	environ []string
	memory  *app.Memory
	locate  func(name string) string // see at; nil until it is used
	// stopSignals ends the usual handling of signals, for a command that handles
	// signals itself.
	stopSignals func()
	endless     *atomic.Bool // a signal is the normal end of this command
	// commands returns the tree of commands, for a command that runs another one.
	commands func(c *cli) *cobra.Command
	pager    atomic.Pointer[terminal.Pager]
}
