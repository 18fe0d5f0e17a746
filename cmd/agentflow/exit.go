package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"agentflow/app"
	"agentflow/internal/cliflag"
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

// exitCodes are the codes of the kinds of errors; every other kind is exitError.
var exitCodes = map[app.Kind]int{
	app.KindUsage: exitUsage, app.KindAgent: exitAgent, app.KindNotRecorded: exitNotRecorded, app.KindLocked: exitLocked, app.KindNoPlace: exitNoPlace,
}

var (
	errInterrupted = ended{code: exitInterrupted, err: errors.New("interrupted")}
	errTerminated  = ended{code: exitTerminated, err: errors.New("terminated")}
	// errDeclined ends a command after the answer no, which is a success.
	errDeclined = ended{code: exitOK, err: errors.New("nothing was changed"), reported: true}
)

// ended is an error with an explicit exit code: of a signal, or of a command
// that already printed what went wrong.
type ended struct {
	code     int
	err      error
	reported bool // on stderr, or by the output itself
}

func (e ended) Error() string { return e.err.Error() }
func (e ended) Unwrap() error { return e.err }

func usagef(format string, args ...any) *app.Error {
	return &app.Error{Kind: app.KindUsage, Err: fmt.Errorf(format, args...)}
}

// hintedUsage returns a usage error with a remedy.
func hintedUsage(hint, format string, args ...any) *app.Error {
	return &app.Error{Kind: app.KindUsage, Err: fmt.Errorf(format, args...), Hint: hint}
}

// classify is the one place that turns an error into an exit code and a
// hint. reported means that the user has already seen the error.
func classify(err error) (code int, hint string, reported bool) {
	var own ended
	if err == nil {
		return exitOK, "", true
	}
	if errors.As(err, &own) {
		return own.code, "", own.reported
	}
	var flag *cliflag.Error
	if errors.As(err, &flag) {
		return exitUsage, flag.Hint, false
	}
	known := app.AsError(err)
	if code = exitCodes[known.Kind]; code == 0 {
		code = exitError
	}
	return code, known.Hint, false
}

// finish prints err and returns the exit code.
func finish(c *cli, err error, asJSON bool) int {
	code, hint, reported := classify(err)
	switch {
	case reported:
	case asJSON:
		out, _ := json.Marshal(map[string]any{"error": err.Error(), "hint": hint, "exit_code": code})
		fmt.Fprintf(c.err, "%s\n", out)
	default:
		c.fail(err)
		if hint != "" {
			c.hint("%s", hint)
		}
	}
	return code
}
