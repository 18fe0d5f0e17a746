package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"agentflow/config"
	"agentflow/executor"
	"agentflow/writeback"
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

var (
	errInterrupted = codedError{code: exitInterrupted, err: errors.New("interrupted")}
	errTerminated  = codedError{code: exitTerminated, err: errors.New("terminated")}
)

// codedError is an error that knows its exit code and, where there is one,
// the way out.
type codedError struct {
	code int
	err  error
	hint string
	said bool // already told on stderr, or the output itself tells it
}

func (e codedError) Error() string { return e.err.Error() }
func (e codedError) Unwrap() error { return e.err }

// usageError is a command line that cannot be understood.
type usageError struct {
	err  error
	hint string
}

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) usageError {
	return usageError{err: fmt.Errorf(format, args...)}
}

// classify is the one place that turns an error into an exit code and a
// hint.
func classify(err error) (code int, hint string) {
	var coded codedError
	var usage usageError
	var bad *config.BadConfig
	var signal executor.Interrupt
	switch {
	case err == nil:
		return exitOK, ""
	case errors.As(err, &coded):
		return coded.code, coded.hint
	case errors.As(err, &usage):
		return exitUsage, usage.hint
	case errors.As(err, &bad):
		return exitUsage, "correct the file, then check it with 'agentflow config check'"
	case errors.As(err, &signal):
		if signal.Signal == os.Interrupt {
			return exitInterrupted, ""
		}
		return exitTerminated, ""
	case errors.Is(err, writeback.ErrLocked):
		return exitLocked, "try again when it has finished; 'agentflow status' says who holds the lock"
	case errors.Is(err, config.ErrNoPlace):
		return exitNoPlace, "go to a git repository, or run 'agentflow init' to start a memory in this folder"
	}
	return exitError, ""
}

// finish tells err and returns the exit code.
func (a *app) finish(err error, asJSON bool) int {
	code, hint := classify(err)
	var coded codedError
	if err == nil || (errors.As(err, &coded) && coded.said) {
		return code
	}
	if asJSON {
		out, _ := json.Marshal(map[string]any{"error": err.Error(), "hint": hint, "exit_code": code})
		fmt.Fprintf(a.err, "%s\n", out)
		return code
	}
	a.fail(err)
	if hint != "" {
		a.hint("%s", hint)
	}
	return code
}
