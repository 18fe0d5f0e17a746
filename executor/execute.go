package executor

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"agentflow/executor/agent"
	"agentflow/executor/internal/bounded"
	"agentflow/executor/runfolder"
	"agentflow/executor/summary"
	"agentflow/executor/supervise"
	"agentflow/gitwatch/reftrace"
	"agentflow/internal/proc"
	"agentflow/memory"
)

// Execute runs the agent, and --verify if the agent succeeded. It returns when no process of
// the run is left. The outcome is in the journal, and Finish returns it. When ctx is cancelled,
// Execute asks the agent to end, with the signal of an Interrupt cause.
func (r *Begun) Execute(ctx context.Context) {
	r.deps.Sink(agent.Event{Kind: EventPhase, Text: PhaseAgent})
	log := r.openLog()
	r.summary = &summary.Summary{Extract: r.extractor(), Streams: r.command.Raw}
	s := newEventStore(r.deps, log, r.summary, r.degrade)
	s.storeBehind()
	errTail := &bounded.Tail{Max: agent.MaxMessage + bounded.LookAhead}

	end := r.agent(ctx, s, errTail)
	end.Remarks = append(end.Remarks, s.close(r.deps.Hurry)...)
	r.takeStderr(bounded.LastLines(errTail.Redacted(r.deps.Redact), maxStderrLines))
	r.write(runfolder.StderrFile, r.stderr)
	if outcome, _, _ := outcomeOf(end, r.summary, true); outcome == memory.OutcomeOK && r.req.Verify != "" && ctx.Err() == nil {
		r.verify(ctx, &end)
	}
	if log != nil && log.Err != nil {
		end.Result = r.summary.Result
	}
	r.journal.Stage, r.journal.End, r.journal.Ended = runfolder.StageEnded, &end, r.deps.Now().Truncate(time.Millisecond)
	if !r.save() {
		if err := r.reserve.write(r.journal); err != nil {
			r.degrade(err.Error())
		}
	}
}

// maxStderrLines limits the lines of standard error in stderr.log.
const maxStderrLines = 1000

func (r *Begun) openLog() *runfolder.EventLog {
	if r.folder.Dir == "" {
		return nil
	}
	log, err := runfolder.OpenEventLog(r.deps.disk, r.folder.File(runfolder.EventsFile))
	if err != nil {
		r.degrade(err.Error())
		return nil
	}
	return log
}

// agent runs the agent, without --verify.
func (r *Begun) agent(ctx context.Context, s *eventStore, errTail *bounded.Tail) runfolder.Ending {
	sup := supervisor(r.req, r.deps.Hurry, r.trimming(s.flushQuiet))
	out := &agentOutput{decoder: r.req.Agent.Decoder(), sup: sup, store: s}
	if r.command.Raw {
		out.raw = r.deps.AgentOut
	}
	var end runfolder.Ending
	if ctx.Err() != nil {
		end.Reason, end.ExitCode = supervise.ReasonOf(ctx), -1
		return end
	}
	result, err := sup.Run(ctx, proc.Spec{
		Argv: r.command.Argv, Dir: r.deps.Dir, Tag: r.ID, Stdin: r.command.Stdin,
		Env:    r.agentEnv(),
		Stdout: out, Spool: !r.command.Raw, Stderr: &agentErrors{sup: sup, tail: errTail, to: r.deps.AgentErr, decode: out.takeErrors},
		Grace: max(r.req.Grace, 0),
	})
	if last := out.close(); last != "" && !r.command.Raw {
		if r.deps.PlainOut {
			last = r.deps.Plain(last)
		}
		fmt.Fprintln(r.deps.AgentOut, strings.TrimRight(last, "\n"))
	}
	if err != nil {
		end.NotBegun, end.ExitCode = bounded.RedactBounded(r.deps.Redact, err.Error(), maxRemark), exitNotStarted
		return end
	}
	if result.Output != nil {
		r.degrade(result.Output.Error())
	}
	end.Reason, end.Limit = result.Why, result.Limit
	end.ExitCode, end.Signal = result.Exit.Code, result.Exit.Signal
	end.Remarks = endedRemark(result.Others, r.deps.Redact)
	end.LeftRunning = len(result.Others) > 0
	return end
}

// trimEvery spaces the checks of a run's trace: git writes up to about ten megabytes in
// that time.
const trimEvery = 100 * time.Millisecond

// trimming returns a tick that also keeps git's trace of the run small.
func (r *Begun) trimming(tick func(time.Time) time.Time) func(time.Time) time.Time {
	trimmer := reftrace.NewTrimmer(r.folder.File(runfolder.RefsFile))
	trimmer.Shrinks = true // the trace is read once, at the end
	return func(now time.Time) time.Time {
		if err := trimmer.Trim(); err != nil {
			r.degrade(err.Error())
		}
		next := now.Add(trimEvery)
		if again := tick(now); !again.IsZero() && again.Before(next) {
			return again
		}
		return next
	}
}

// agentEnv returns the environment of the agent, with the variables of its command.
func (r *Begun) agentEnv() []string {
	return append(environment(r.deps.Env, r.folder.File(runfolder.RefsFile), r.token), r.command.Env...)
}

// exitNotStarted reports, as in shells, a program that cannot be started.
const exitNotStarted = 127

func supervisor(req Request, hurry <-chan struct{}, tick func(time.Time) time.Time) *supervise.Supervisor {
	return &supervise.Supervisor{
		Dog: supervise.NewWatchdog(supervise.Limits{
			Timeout: req.Timeout, Idle: req.IdleTimeout, Tool: req.ToolTimeout, Grace: max(req.Grace, 0),
		}, time.Now()),
		Hurry: hurry,
		Tick:  tick,
	}
}

// agentOutput takes the agent's standard output, from one goroutine. That goroutine may still
// be blocked by a reader of raw when the run continues without it, so the decoder has a lock.
type agentOutput struct {
	sup   *supervise.Supervisor
	store *eventStore
	raw   io.Writer // gets the bytes as they arrive; nil if there is no reader, or after an error

	mu      sync.Mutex
	decoder agent.Decoder // nil when closed
	last    string        // the agent's last message
}

// Write never fails: an agent must not end because its output has no reader.
func (o *agentOutput) Write(p []byte) (int, error) {
	if o.raw != nil {
		if _, err := o.raw.Write(p); err != nil {
			o.raw = nil
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.decoder != nil {
		o.pass(o.decoder.Feed(p))
	}
	return len(p), nil
}

// close ends the decoder and returns the agent's last message.
func (o *agentOutput) close() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.pass(o.decoder.Close())
	o.decoder = nil
	return o.last
}

// takeErrors passes standard error of the agent to its decoder, if that reads it. It returns
// the events, and whether the output resets the idle timeout.
func (o *agentOutput) takeErrors(p []byte) (events []agent.Event, alive bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	reader, reads := o.decoder.(agent.StderrDecoder)
	if !reads {
		return nil, true
	}
	events = reader.FeedStderr(p)
	o.keep(events)
	return events, len(events) > 0
}

func (o *agentOutput) pass(events []agent.Event) {
	o.sup.NoteOutput(events)
	o.keep(events)
}

func (o *agentOutput) keep(events []agent.Event) {
	for _, ev := range events {
		if ev.Text != "" && (ev.Kind == agent.Said || ev.Kind == agent.Result && !ev.Failed) {
			o.last = ev.Text
		}
		o.store.add(ev)
	}
}

// agentErrors takes the agent's standard error, from one goroutine.
type agentErrors struct {
	sup  *supervise.Supervisor
	tail *bounded.Tail
	to   io.Writer
	// decode is agentOutput.takeErrors. If it is nil, all output resets the idle timeout.
	decode func(p []byte) (events []agent.Event, alive bool)
}

func (o *agentErrors) Write(p []byte) (int, error) {
	events, alive := []agent.Event(nil), true
	if o.decode != nil {
		events, alive = o.decode(p)
	}
	if alive {
		o.sup.NoteOutput(events)
	}
	o.tail.Write(string(p))
	if o.to != nil {
		if _, err := o.to.Write(p); err != nil {
			o.to = nil
		}
	}
	return len(p), nil
}
