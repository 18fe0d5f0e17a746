package executor

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"agentflow/executor/agent"
	"agentflow/internal/proc"
)

// maxVerifyLines is the number of lines that an entry shows of a failed --verify command's
// output.
const maxVerifyLines = 20

// verify runs the check that decides whether the agent succeeded.
func (r *Begun) verify(ctx context.Context, end *ending) {
	r.deps.Sink(agent.Event{Kind: EventPhase, Text: PhaseVerify, Detail: r.req.Verify})
	sup := r.supervisor(func(time.Time) time.Time { return time.Time{} })
	out := &tail{max: agent.MaxMessage + lookAhead}
	both := &agentErrors{sup: sup, tail: out, to: r.deps.AgentErr}
	began := r.deps.Now()
	result, err := sup.run(ctx, proc.Spec{
		Argv: Shell(r.req.Verify), Dir: r.deps.Dir, Tag: r.ID, Env: environment(r.deps.Env, "", ""),
		Stdout: both, Stderr: both, Grace: max(r.req.Grace, 0),
	})
	command := redactBounded(r.deps.Redact, r.req.Verify, maxRemark)
	v := &verdict{Command: command, OK: err == nil && result.exit.Code == 0 && result.why == "", Began: began, Ended: r.deps.Now()}
	end.Verify = v
	end.Remarks = append(end.Remarks, r.endedRemark(result.others)...)
	switch {
	case v.OK:
	case err != nil:
		v.Error = redactBounded(r.deps.Redact, fmt.Sprintf("verify could not run %s: %v", command, err), maxRemark)
	case result.why == reasonInterrupted || result.why == reasonTerminated:
		end.Reason = result.why
		v.Error = fmt.Sprintf("verify was interrupted: %s", command)
	default:
		v.Error = verifyError(command, result, lastLines(out.redacted(r.deps.Redact), maxVerifyLines))
	}
}

func verifyError(command string, result ended, output string) string {
	how := fmt.Sprintf("ended with exit code %d", result.exit.Code)
	switch {
	case result.why != "":
		how = fmt.Sprintf("ended after %v", result.limit)
	case result.exit.Signal != "":
		how = "ended by " + result.exit.Signal
	}
	text := fmt.Sprintf("verify %s: %s", how, command)
	if output != "" {
		text += "\n" + output
	}
	return agent.ClipBytes(text, maxError)
}

// Shell returns the argv that runs a command line in the system's shell.
func Shell(command string) []string {
	if runtime.GOOS == "windows" {
		return []string{"cmd", "/c", command}
	}
	return []string{"sh", "-c", command}
}
