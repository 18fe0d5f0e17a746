package executor

import (
	"fmt"
	"strings"

	"agentflow/executor/agent"
	"agentflow/memory"
)

// outcome decides how the run went, from the agent's ending and its events.
// changed says whether the repository shows any change of the run.
// Errors come worst first.
func (e ending) outcome(t *runSummary, changed bool) (memory.Outcome, []string) {
	switch e.Reason {
	case reasonTimeout:
		return memory.OutcomeTimeout, []string{fmt.Sprintf("the run took longer than %v", e.Limit)}
	case reasonIdle:
		return memory.OutcomeTimeout, []string{fmt.Sprintf("the agent was silent for %v", e.Limit)}
	case reasonInterrupted:
		return memory.OutcomeInterrupted, []string{"interrupted"}
	case reasonTerminated:
		return memory.OutcomeInterrupted, []string{"terminated"}
	}
	if e.NotBegun != "" {
		return memory.OutcomeNotStarted, []string{e.NotBegun}
	}
	if errs := e.failures(t, changed); len(errs) > 0 {
		return memory.OutcomeFailed, errs
	}
	return memory.OutcomeOK, nil
}

func (e ending) failures(t *runSummary, changed bool) []string {
	var errs []string
	switch {
	case t.result != nil && t.result.Failed:
		errs = append(errs, t.result.Text)
	case e.Signal != "":
		errs = append(errs, "the agent was ended by "+e.Signal)
	case e.ExitCode != 0:
		errs = append(errs, fmt.Sprintf("the agent ended with exit code %d", e.ExitCode))
	case !t.streams && t.result == nil:
		errs = append(errs, "the agent ended without a result")
	}
	if t.writesDenied > 0 && t.wrote == 0 && !changed {
		errs = append(errs, "every write was denied")
	}
	if e.Verify != nil && !e.Verify.OK {
		errs = append(errs, e.Verify.Error)
	}
	return errs
}

// cause is the first reason of an outcome that is not OK.
func (e ending) cause(t *runSummary, outcome memory.Outcome) agent.Cause {
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

// reason is a line for people about a run that did not end well. It is empty
// when the agent's standard error, which they saw, has the line already, and for
// an interrupt.
func (r *Begun) reason(e memory.Entry) string {
	if out := e.Result.Outcome; out == memory.OutcomeOK || out == memory.OutcomeInterrupted || len(e.Errors) == 0 {
		return ""
	}
	line, _, _ := strings.Cut(e.Errors[0], "\n")
	if strings.Contains(r.stderr, line) {
		return ""
	}
	if res := r.summary.result; res != nil && res.Failed && strings.HasPrefix(strings.TrimSpace(res.Text), line) {
		return e.Agent + ": " + line
	}
	return line
}
