package executor

import (
	"fmt"

	"agentflow/executor/agent"
	"agentflow/executor/runfolder"
	"agentflow/executor/summary"
	"agentflow/memory"
)

// outcomeOf returns how the run went and why, from the agent's ending and its events. changed
// says whether the repository shows any change of the run. Errors are ordered worst first.
func outcomeOf(e runfolder.Ending, t *summary.Summary, changed bool) (out memory.Outcome, why agent.Cause, errs []string) {
	switch e.Reason {
	case runfolder.ReasonTimeout:
		return memory.OutcomeTimeout, agent.CauseTimeout, []string{fmt.Sprintf("the run took longer than %v", e.Limit)}
	case runfolder.ReasonIdle:
		return memory.OutcomeTimeout, agent.CauseTimeout, []string{fmt.Sprintf("the agent was silent for %v", e.Limit)}
	case runfolder.ReasonInterrupted:
		return memory.OutcomeInterrupted, agent.CauseInterrupted, []string{"interrupted"}
	case runfolder.ReasonTerminated:
		return memory.OutcomeInterrupted, agent.CauseInterrupted, []string{"terminated"}
	}
	if e.NotBegun != "" {
		return memory.OutcomeNotStarted, agent.CauseNotStarted, []string{e.NotBegun}
	}
	if t.Stopped() {
		return memory.OutcomeInterrupted, agent.CauseInterrupted, []string{"interrupted"}
	}
	out = memory.OutcomeOK
	fail := func(cause agent.Cause, text string) {
		if out == memory.OutcomeOK || why == agent.CauseDenied {
			why = cause
		}
		out, errs = memory.OutcomeFailed, append(errs, text)
	}
	switch {
	case t.Result != nil && t.Result.Failed && !t.RefusedLast():
		fail(t.Result.Cause, t.Result.Text)
	case e.Signal != "":
		fail("", "the agent was ended by "+e.Signal)
	case e.ExitCode != 0:
		fail("", fmt.Sprintf("the agent ended with exit code %d", e.ExitCode))
	case !t.Streams && t.Dialog == nil && t.Result == nil:
		fail("", "the agent ended without a result")
	}
	if t.WritesDenied > 0 && t.Wrote == 0 && !changed {
		fail(agent.CauseDenied, "every write was denied")
	}
	if e.Verify != nil && !e.Verify.OK {
		fail(agent.CauseVerify, e.Verify.Error)
	}
	return out, why, errs
}
