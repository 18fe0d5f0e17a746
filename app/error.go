package app

import (
	"errors"
	"fmt"
	"syscall"

	"agentflow/internal/config"
	"agentflow/writeback"
)

// Kind classifies an error for the caller. The CLI, the HTTP server and the tools turn it into an
// exit code, a status or a tool error.
type Kind string

// The kinds of errors.
const (
	KindUsage       Kind = "usage"       // the request, or a setting, cannot be understood
	KindNotFound    Kind = "notFound"    // memory does not hold the named item
	KindLocked      Kind = "locked"      // another process holds the lock
	KindNoPlace     Kind = "noPlace"     // there is no repository, or no memory, in the requested place
	KindAgent       Kind = "agent"       // the agent failed
	KindNotRecorded Kind = "notRecorded" // the entry could not be written to Markdown
	KindRefused     Kind = "refused"     // the request is valid, but the current state does not allow it
	KindUnavailable Kind = "unavailable" // a required program or service does not answer
	KindInternal    Kind = "internal"    // any other error, of the system or in AgentFlow
)

// Error is an error of an operation. Hint says how to solve the problem, if that is known. The
// error text is that of Err.
type Error struct {
	Kind Kind
	Err  error
	Hint string
}

func (e *Error) Error() string { return e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// Usagef returns an error of KindUsage.
func Usagef(format string, args ...any) *Error {
	return &Error{Kind: KindUsage, Err: fmt.Errorf(format, args...)}
}

// IsUsage reports whether an error is of KindUsage.
func IsUsage(err error) bool { return err != nil && AsError(err).Kind == KindUsage }

// AsError returns err as an Error, or nil for nil. It adds the kind and hint of errors that lower
// packages return.
func AsError(err error) *Error {
	var typed *Error
	var bad *config.BadConfig
	switch {
	case err == nil:
		return nil
	case errors.As(err, &typed):
		return &Error{Kind: typed.Kind, Err: err, Hint: typed.Hint}
	case errors.As(err, &bad):
		return &Error{Kind: KindUsage, Err: err, Hint: "correct the file, then check it with 'agentflow config check'"}
	case errors.Is(err, writeback.ErrLocked):
		return &Error{Kind: KindLocked, Err: err, Hint: "try again when it has finished; 'agentflow status' says who holds the lock"}
	case errors.Is(err, writeback.ErrNotFound):
		return &Error{Kind: KindNotFound, Err: err}
	case errors.Is(err, writeback.ErrForgotten):
		return &Error{Kind: KindRefused, Err: err}
	case errors.Is(err, syscall.ENAMETOOLONG):
		return &Error{Kind: KindUsage, Err: err, Hint: "a name or a path is longer than this system allows"}
	case errors.Is(err, config.ErrNoPlace):
		return &Error{Kind: KindNoPlace, Err: err, Hint: "go to a git repository, or run 'agentflow init' to start a memory in this folder"}
	}
	return &Error{Kind: KindInternal, Err: err}
}
