package executor

import (
	"strings"

	"agentflow/executor/agent"
	"agentflow/memory"
)

// cause is the first reason of an outcome that is not OK.
func (e ending) cause(t *tally, outcome memory.Outcome) agent.Cause {
	switch {
	case outcome == memory.OutcomeOK:
		return ""
	case outcome == memory.OutcomeTimeout:
		return agent.CauseTimeout
	case outcome == memory.OutcomeInterrupted:
		return agent.CauseInterrupted
	case outcome == memory.OutcomeNotStarted:
		return agent.CauseNotStarted
	case t.result != nil && t.result.Failed:
		return t.result.Cause
	case e.ExitCode != 0 || e.Signal != "" || !t.streams && t.result == nil:
		return ""
	case e.Verify != nil && !e.Verify.OK:
		return agent.CauseVerify
	}
	return agent.CauseDenied
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
