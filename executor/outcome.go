package executor

import (
	"fmt"

	"agentflow/memory"
)

// outcome decides how the run went, from how the agent ended and what it
// reported. changed says whether the repository shows any change of the run.
// Errors come worst first.
func (e ending) outcome(t *tally, changed bool) (memory.Outcome, []string) {
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

func (e ending) failures(t *tally, changed bool) []string {
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
