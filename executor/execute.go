package executor

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"agentflow/executor/agent"
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
	r.summary = &runSummary{extract: r.extractor(), streams: r.command.Raw}
	s := newEventStore(r.deps, log, r.summary, r.degrade)
	s.storeBehind()
	errTail := &tail{max: agent.MaxMessage + lookAhead}

	end := r.agent(ctx, s, errTail)
	end.Remarks = append(end.Remarks, s.close(r.deps.Hurry)...)
	r.takeStderr(lastLines(errTail.redacted(r.deps.Redact), maxStderrLines))
	r.write(stderrFile, r.stderr)
	if outcome, _, _ := end.outcome(r.summary, true); outcome == memory.OutcomeOK && r.req.Verify != "" && ctx.Err() == nil {
		r.verify(ctx, &end)
	}
	if log != nil && log.err != nil {
		end.Result = r.summary.result
	}
	r.journal.Stage, r.journal.End, r.journal.Ended = stageEnded, &end, r.deps.Now().Truncate(time.Millisecond)
	if !r.save() {
		r.writeEnding()
	}
}

// maxStderrLines is the number of standard error's lines that stderr.log keeps.
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

// agent runs the agent, without --verify.
func (r *Begun) agent(ctx context.Context, s *eventStore, errTail *tail) ending {
	sup := r.supervisor(r.trimming(s.flushQuiet))
	out := &agentOutput{decoder: r.req.Agent.Decoder(), sup: sup, store: s}
	if r.command.Raw {
		out.raw = r.deps.AgentOut
	}
	var end ending
	if ctx.Err() != nil {
		end.Reason, end.ExitCode = reasonOf(ctx), -1
		return end
	}
	result, err := sup.run(ctx, proc.Spec{
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
		end.NotBegun, end.ExitCode = redactBounded(r.deps.Redact, err.Error(), maxRemark), exitNotStarted
		return end
	}
	if result.output != nil {
		r.degrade(result.output.Error())
	}
	end.Reason, end.Limit = result.why, result.limit
	end.ExitCode, end.Signal = result.exit.Code, result.exit.Signal
	end.Remarks = r.endedRemark(result.others)
	end.LeftRunning = len(result.others) > 0
	return end
}

// trimEvery is how often the trace of a run is checked: git writes up to about ten megabytes in
// that time.
const trimEvery = 100 * time.Millisecond

// trimming returns a tick that also keeps git's trace of the run small.
func (r *Begun) trimming(tick func(time.Time) time.Time) func(time.Time) time.Time {
	trimmer := reftrace.NewTrimmer(r.folder.file(refsFile))
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
	return append(environment(r.deps.Env, r.folder.file(refsFile), r.token), r.command.Env...)
}

// exitNotStarted is the exit code that shells return for a program that cannot be started.
const exitNotStarted = 127

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

// agentOutput takes the agent's standard output, from one goroutine. That goroutine may still
// be blocked by a reader of raw when the run continues without it, so the decoder has a lock.
type agentOutput struct {
	sup   *supervisor
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
	o.sup.noteOutput(events)
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
	sup  *supervisor
	tail *tail
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
		o.sup.noteOutput(events)
	}
	o.tail.write(string(p))
	if o.to != nil {
		if _, err := o.to.Write(p); err != nil {
			o.to = nil
		}
	}
	return len(p), nil
}
