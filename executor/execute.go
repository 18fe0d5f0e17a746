package executor

import (
	"context"
	"fmt"
	"strings"
	"time"

	"agentflow/executor/agent"

	"agentflow/internal/proc"
	"agentflow/memory"
)

// Execute runs the agent, and --verify after one that succeeded. It returns
// when no process of the run is left. How it went is in the journal and comes
// out of Finish. When ctx is cancelled the agent is asked to end, with the
// signal of an Interrupt cause.
func (r *Begun) Execute(ctx context.Context) {
	r.deps.Sink(agent.Event{Kind: EventPhase, Text: PhaseAgent})
	log := r.openLog()
	r.tally = &tally{extract: r.extractor(), streams: r.command.Raw}
	s := newScribe(r.deps, log, r.tally, r.degrade)
	errTail := &tail{max: agent.MaxMessage + sieveAhead}

	end := r.agent(ctx, s, errTail)
	end.Remarks = append(end.Remarks, s.close()...)
	r.stderr = lastLines(errTail.redacted(r.deps.Redact), maxStderrLines)
	if r.folder.dir != "" {
		r.write(stderrFile, r.stderr)
	}
	if outcome, _ := end.outcome(r.tally, true); outcome == memory.OutcomeOK && r.req.Verify != "" && ctx.Err() == nil {
		r.verify(ctx, &end)
	}
	if log != nil && log.err != nil {
		end.Result = r.tally.result
	}
	r.journal.Stage, r.journal.End, r.journal.Ended = stageEnded, &end, r.deps.Now().Truncate(time.Millisecond)
	if !r.save() {
		r.writeEnding()
	}
}

// maxStderrLines is how much of standard error is kept in stderr.log.
const maxStderrLines = 1000

func (r *Begun) openLog() *eventLog {
	if r.folder.dir == "" {
		return nil
	}
	log, err := openEventLog(r.deps.disk, r.folder.file(eventsFile))
	if err != nil {
		r.degrade(err.Error())
		return nil
	}
	return log
}

// agent runs the agent itself.
func (r *Begun) agent(ctx context.Context, s *scribe, errTail *tail) ending {
	sup := r.supervisor(s.flushQuiet)
	out := &agentOutput{decoder: r.req.Agent.Decoder(), sup: sup, scribe: s}
	if r.command.Raw {
		out.raw = r.deps.AgentOut
	}
	var end ending
	if ctx.Err() != nil {
		end.Reason, end.ExitCode = reasonOf(ctx), -1
		return end
	}
	came, err := sup.run(ctx, proc.Spec{
		Argv: r.command.Argv, Dir: r.deps.Dir, Tag: r.ID, Stdin: r.command.Stdin,
		Env:    r.environment(),
		Stdout: out, Spool: !r.command.Raw, Stderr: &agentErrors{sup: sup, tail: errTail, to: r.deps.AgentErr},
		Grace: max(r.req.Grace, 0),
	})
	if said := out.close(); said != "" && !r.command.Raw {
		fmt.Fprintln(r.deps.AgentOut, strings.TrimRight(said, "\n"))
	}
	if err != nil {
		end.NotBegun, end.ExitCode = redactBounded(r.deps.Redact, err.Error(), maxRemark), exitNotStarted
		return end
	}
	if came.output != nil {
		r.degrade(came.output.Error())
	}
	end.Reason, end.Limit = came.why, came.limit
	end.ExitCode, end.Signal = came.exit.Code, came.exit.Signal
	end.Remarks = r.endedRemark(came.others)
	end.LeftRunning = len(came.others) > 0
	return end
}

// exitNotStarted is what shells say of a program that could not be started.
const exitNotStarted = 127

func (r *Begun) environment() []string {
	if r.folder.dir == "" {
		return environment(r.deps.Env, "")
	}
	return environment(r.deps.Env, r.folder.file(refsFile))
}

func (r *Begun) supervisor(tick func(time.Time) time.Time) *supervisor {
	return &supervisor{
		dog: newWatchdog(limits{
			timeout: r.req.Timeout, idle: r.req.IdleTimeout, tool: r.req.ToolTimeout, grace: max(r.req.Grace, 0),
		}, time.Now()),
		hurry: r.deps.Hurry,
		tick:  tick,
	}
}

// maxNamed is how many ended processes a remark names.
const maxNamed = 10

// endedRemark names the processes that the agent left behind.
func (r *Begun) endedRemark(others []proc.Ended) []string {
	if len(others) == 0 {
		return nil
	}
	var names []string
	for _, e := range others[:min(len(others), maxNamed)] {
		names = append(names, fmt.Sprintf("%s (pid %d)", e.Command, e.PID))
	}
	if more := len(others) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	what := "processes"
	if len(others) == 1 {
		what = "process"
	}
	line := fmt.Sprintf("ended %d background %s: %s", len(others), what, strings.Join(names, ", "))
	return []string{redactBounded(r.deps.Redact, line, maxRemark)}
}
