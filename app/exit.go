package app

import (
	"errors"
	"os"

	"agentflow/executor"
)

// The exit codes, as documented in the README.
const (
	exitOK          = 0
	exitError       = 1
	exitUsage       = 2
	exitAgent       = 3 // the agent, or --verify, failed
	exitNotRecorded = 4 // the entry is not in Markdown
	exitLocked      = 5
	exitNoPlace     = 6
	exitTimeout     = 124
	exitNotStarted  = 127
	exitInterrupted = 130
	exitTerminated  = 143
)

// codedError is an error that knows its exit code.
type codedError struct {
	code int
	err  error
	hint string
	said bool // already told on stderr, or the output itself tells it
}

func (e codedError) Error() string { return e.err.Error() }
func (e codedError) Unwrap() error { return e.err }

// classify turns an error into an exit code and a hint.
func classify(err error) (code int, hint string) {
	var coded codedError
	var signal executor.Interrupt
	switch {
	case err == nil:
		return exitOK, ""
	case errors.As(err, &coded):
		return coded.code, coded.hint
	case errors.As(err, &signal):
		if signal.Signal == os.Interrupt {
			return exitInterrupted, ""
		}
		return exitTerminated, ""
	}
	known := AsError(err)
	switch known.Kind {
	case KindUsage:
		code = exitUsage
	case KindLocked:
		code = exitLocked
	case KindNoPlace:
		code = exitNoPlace
	case KindNotRecorded:
		code = exitNotRecorded
	default:
		code = exitError
	}
	return code, known.Hint
}
