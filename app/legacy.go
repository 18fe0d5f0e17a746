package app

import (
	"errors"
	"io"
	"sync/atomic"

	"github.com/spf13/cobra"
)

// Legacy holds the commands that have not moved to cmd/agentflow yet.
type Legacy struct{ op *operation }

// Terminal is what the commands of Legacy work with.
type Terminal struct {
	Out, Err                          io.Writer
	OutTTY, ErrTTY, Colour, ErrColour bool
	In                                io.Reader
	InTTY                             bool
	Getenv                            func(string) string
	Environ                           []string
	Dir                               string // where the command was given
	StopSignals                       func()
	Endless                           *atomic.Bool
	Root                              func() *cobra.Command
	Hear                              func(Event) // hears EventProgress
}

// NewLegacy makes them.
func NewLegacy(t Terminal) *Legacy {
	return &Legacy{&operation{degradations: &degradations{},
		voice: voice{out: t.Out, err: t.Err, outTTY: t.OutTTY, errTTY: t.ErrTTY, colour: t.Colour, errColour: t.ErrColour},
		in:    t.In, inTTY: t.InTTY, getenv: t.Getenv, environ: t.Environ, dir: t.Dir, stopSignals: t.StopSignals, endless: t.Endless, root: t.Root, hearProgress: t.Hear,
	}}
}

// Commands are the commands of one group of the help: work, memory or setup.
func (l *Legacy) Commands(group string) []*cobra.Command {
	a := l.op
	switch group {
	case "work":
		return []*cobra.Command{a.runCommand()}
	case "memory":
		return []*cobra.Command{}
	}
	return nil
}

// LegacyExit is the exit code of an error of these commands, its hint, and
// whether the user was told already; ok is false of an error of another kind.
func LegacyExit(err error) (code int, hint string, told, ok bool) {
	var coded codedError
	if errors.As(err, &coded) {
		return coded.code, coded.hint, coded.said, true
	}
	return 0, "", false, false
}
