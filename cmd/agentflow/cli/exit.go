package cli

import (
	"encoding/json"
	"errors"
	"fmt"

	"agentflow/app"
	"agentflow/internal/cliflag"
)

// The exit codes, as documented in the README.
const (
	ExitOK          = 0
	ExitError       = 1
	ExitUsage       = 2
	ExitAgent       = 3 // the agent, or --verify, failed
	ExitNotRecorded = 4 // the entry is not in Markdown
	ExitLocked      = 5
	ExitNoPlace     = 6
	ExitTimeout     = 124
	ExitNotStarted  = 127
	ExitInterrupted = 130
	ExitTerminated  = 143
)

// exitCodes maps kinds of errors to codes; every other kind is exitError.
var exitCodes = map[app.Kind]int{
	app.KindUsage: ExitUsage, app.KindAgent: ExitAgent, app.KindNotRecorded: ExitNotRecorded, app.KindLocked: ExitLocked, app.KindNoPlace: ExitNoPlace,
}

var (
	errInterrupted = Ended{Code: ExitInterrupted, Err: errors.New("interrupted")}
	errTerminated  = Ended{Code: ExitTerminated, Err: errors.New("terminated")}
	// errDeclined ends a command after the answer no, which is a success.
	errDeclined = Ended{Code: ExitOK, Err: errors.New("nothing was changed"), Reported: true}
)

// Ended is an error with an explicit exit code: of a signal, or of a command
// that already printed what went wrong.
type Ended struct {
	Code     int
	Err      error
	Reported bool // on stderr, or by the output itself
}

// Error and Unwrap make Ended an error like its Err.
func (e Ended) Error() string { return e.Err.Error() }
func (e Ended) Unwrap() error { return e.Err }

// Usagef returns an error of a command line that cannot be used.
func Usagef(format string, args ...any) *app.Error {
	return &app.Error{Kind: app.KindUsage, Err: fmt.Errorf(format, args...)}
}

// HintedUsage returns a usage error with a remedy.
func HintedUsage(hint, format string, args ...any) *app.Error {
	return &app.Error{Kind: app.KindUsage, Err: fmt.Errorf(format, args...), Hint: hint}
}

// Classify turns, as the only place, an error into an exit code and a
// hint. reported means that the user has already seen the error.
func Classify(err error) (code int, hint string, reported bool) {
	var own Ended
	if err == nil {
		return ExitOK, "", true
	}
	if errors.As(err, &own) {
		return own.Code, "", own.Reported
	}
	var flag *cliflag.Error
	if errors.As(err, &flag) {
		return ExitUsage, flag.Hint, false
	}
	known := app.AsError(err)
	if code = exitCodes[known.Kind]; code == 0 {
		code = ExitError
	}
	return code, known.Hint, false
}

// Finish prints err and returns the exit code.
func Finish(c *Env, err error, asJSON bool) int {
	code, hint, reported := Classify(err)
	switch {
	case reported:
	case asJSON:
		out, _ := json.Marshal(map[string]any{"error": err.Error(), "hint": hint, "exit_code": code})
		fmt.Fprintf(c.Err, "%s\n", out)
	default:
		c.Fail(err)
		if hint != "" {
			c.Hint("%s", hint)
		}
	}
	return code
}
