package executor

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"agentflow/executor/agent"
	"agentflow/executor/internal/bounded"
	"agentflow/executor/runfolder"
	"agentflow/executor/supervise"
	"agentflow/internal/proc"
)

// maxVerifyLines limits the lines that an entry shows of a failed --verify command's
// output.
const maxVerifyLines = 20

// verify runs the check that decides whether the agent succeeded.
func (r *Begun) verify(ctx context.Context, end *runfolder.Ending) {
	r.deps.Sink(agent.Event{Kind: EventPhase, Text: PhaseVerify, Detail: r.req.Verify})
	sup := supervisor(r.req, r.deps.Hurry, func(time.Time) time.Time { return time.Time{} })
	out := &bounded.Tail{Max: agent.MaxMessage + bounded.LookAhead}
	both := &agentErrors{sup: sup, tail: out, to: r.deps.AgentErr}
	began := r.deps.Now()
	result, err := sup.Run(ctx, proc.Spec{
		Argv: Shell(r.req.Verify), Dir: r.deps.Dir, Tag: r.ID, Env: environment(r.deps.Env, "", ""),
		Stdout: both, Stderr: both, Grace: max(r.req.Grace, 0),
	})
	command := bounded.RedactBounded(r.deps.Redact, r.req.Verify, maxRemark)
	v := &runfolder.Verdict{Command: command, OK: err == nil && result.Exit.Code == 0 && result.Why == "", Began: began, Ended: r.deps.Now()}
	end.Verify = v
	end.Remarks = append(end.Remarks, endedRemark(result.Others, r.deps.Redact)...)
	switch {
	case v.OK:
	case err != nil:
		v.Error = bounded.RedactBounded(r.deps.Redact, fmt.Sprintf("verify could not run %s: %v", command, err), maxRemark)
	case result.Why == runfolder.ReasonInterrupted || result.Why == runfolder.ReasonTerminated:
		end.Reason = result.Why
		v.Error = fmt.Sprintf("verify was interrupted: %s", command)
	default:
		v.Error = verifyError(command, result, bounded.LastLines(out.Redacted(r.deps.Redact), maxVerifyLines))
	}
}

func verifyError(command string, result supervise.Ended, output string) string {
	how := fmt.Sprintf("ended with exit code %d", result.Exit.Code)
	switch {
	case result.Why != "":
		how = fmt.Sprintf("ended after %v", result.Limit)
	case result.Exit.Signal != "":
		how = "ended by " + result.Exit.Signal
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

// maxError limits one error of an entry, in bytes. maxStderr is the number of standard error's
// last lines that a failed run shows.
const (
	maxError  = 4 << 10
	maxStderr = 20
)
