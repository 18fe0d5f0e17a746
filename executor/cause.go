package executor

import (
	"strings"

	"agentflow/memory"
)

// Cause is why a run did not end well, where it decides what to do next.
type Cause string

// The causes; a run that ended well, or for another reason, has none.
const (
	CauseLogin       Cause = "login"       // the agent is not logged in, or its key is refused
	CauseCost        Cause = "cost"        // the spend cap is reached
	CauseUnavailable Cause = "unavailable" // the agent's API is overloaded, limits its rate, or cannot be reached
	CauseSession     Cause = "session"     // the agent does not know the session to go on with
	CauseDenied      Cause = "denied"      // every write was denied
	CauseVerify      Cause = "verify"
	CauseTimeout     Cause = "timeout"
	CauseInterrupted Cause = "interrupted"
	CauseNotStarted  Cause = "not_started"
)

// cause is the first reason of an outcome that is not OK.
func (e ending) cause(t *tally, outcome memory.Outcome) Cause {
	switch {
	case outcome == memory.OutcomeOK:
		return ""
	case outcome == memory.OutcomeTimeout:
		return CauseTimeout
	case outcome == memory.OutcomeInterrupted:
		return CauseInterrupted
	case outcome == memory.OutcomeNotStarted:
		return CauseNotStarted
	case t.result != nil && t.result.Failed:
		return t.result.Cause
	case e.ExitCode != 0 || e.Signal != "" || !t.streams && t.result == nil:
		return ""
	case e.Verify != nil && !e.Verify.OK:
		return CauseVerify
	}
	return CauseDenied
}

// reason is the first line of why a run did not end well, for people who saw
// the agent's standard error. It is empty when they have read it there, and
// for an interrupt.
func (r *Begun) reason(e memory.Entry) string {
	if out := e.Result.Outcome; out == memory.OutcomeOK || out == memory.OutcomeInterrupted || len(e.Errors) == 0 {
		return ""
	}
	line, _, _ := strings.Cut(e.Errors[0], "\n")
	if strings.Contains(r.stderr, line) {
		return ""
	}
	if res := r.tally.result; res != nil && res.Failed && strings.HasPrefix(strings.TrimSpace(res.Text), line) {
		return e.Agent + ": " + line
	}
	return line
}
