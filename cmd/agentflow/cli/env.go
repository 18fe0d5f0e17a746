// Package cli has what all commands share: their streams and memory (Env), messages (Voice), questions, keys, flags, the
// pager, signals, and exit codes.
package cli

import (
	"io"
	"sync/atomic"

	"agentflow/app"
	"agentflow/internal/terminal"

	"github.com/spf13/cobra"
)

// Env is the context of every command: the three streams, the environment,
// the voice and the memory of the folder that the command was given in.
type Env struct {
	Voice
	In      io.Reader
	InTTY   bool
	Dir     string // where the command was given
	Environ []string
	Memory  *app.Memory
	locate  func(name string) string // see At; nil until it is used
	// StopSignals ends the usual handling of signals, for a command that handles
	// signals itself.
	StopSignals func()
	Endless     *atomic.Bool // a signal is the normal end of this command
	// Commands returns the tree of commands, for a command that runs another one.
	Commands func(c *Env) *cobra.Command
	Pager    atomic.Pointer[terminal.Pager]
}
