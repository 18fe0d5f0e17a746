// Package hook answers the hooks of agents, which Claude Code and Codex start when a session
// begins, when the user sends a prompt, and when the agent has finished.
//
// Guarantees: a hook never delays its agent beyond its limit, never stops a prompt or a turn,
// and never fails. A failure is recorded, and reported once in the session. Long work is left
// to a process that outlives the hook and the agent.
//
// Not guaranteed: a prompt gets memory only if that is found in time.
package hook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"agentflow/app"
	"agentflow/app/session"
	"agentflow/memory/quote"
)

// Options are the inputs and functions of a hook.
type Options struct {
	In  io.Reader // the agent's input for the hook
	Out io.Writer // the hook's answer
	// Agent is the agent that runs the hook: claude or codex.
	Agent string
	// EnvFile is the file of shell lines that the agent runs before its commands, or empty if
	// it has none.
	EnvFile string
	// the folder in which the session was started; empty: that of the hook's input
	Project string
	Open    func(dir string) (*app.Memory, error)
	// Detach starts 'agentflow session work' in a folder, with an input, in a separate process.
	Detach func(dir string, input []byte) error
}

// limit is how long an agent waits for a hook at most. A prompt's recall has another limit, the
// setting session.deadline, and other hooks leave all work to a separate process: both take a
// tenth of limit or less.
const limit = time.Second

// Hook answers one hook. It always succeeds, because an agent stops if a hook fails.
func Hook(ctx context.Context, o Options) {
	in, err := inputInTime(o.In)
	if err != nil || in.SubagentID != "" {
		return
	}
	ev, known := in.event(o.Agent, time.Now())
	if !known {
		return
	}
	ev.EnvFile = o.EnvFile
	dir := in.Dir
	if o.Project != "" {
		dir = o.Project
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	res := within(ctx, ev, func() (session.HookResult, error) {
		m, err := o.Open(dir)
		if err != nil {
			return session.HookResult{}, err
		}
		defer m.Close()
		return session.Hook(ctx, m, ev)
	})
	for _, left := range []*session.Event{res.Work, res.Watch} {
		if left == nil {
			continue
		}
		if input, err := json.Marshal(job{Dir: dir, Event: *left}); err == nil {
			_ = o.Detach(dir, input) // the next hook does the work
		}
	}
	answer(o.Out, in.Event, res)
}

// inputInTime reads a hook's input, and returns an error if it did not end within the limit.
// The reading then continues until the process ends.
func inputInTime(r io.Reader) (in input, err error) {
	type outcome struct {
		in  input
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		in, err := readInput(r)
		done <- outcome{in, err}
	}()
	select {
	case got := <-done:
		return got.in, got.err
	case <-time.After(limit):
		return in, errors.New("the hook's input did not end in time")
	}
}

// within waits for a hook's work until the context ends. A separate process then does the work
// that was not finished, which is not a failure, and the work that failed.
func within(ctx context.Context, ev session.Event, work func() (session.HookResult, error)) session.HookResult {
	type outcome struct {
		res session.HookResult
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		res, err := work()
		done <- outcome{res, err}
	}()
	var got outcome
	select {
	case got = <-done:
		if got.err == nil {
			return got.res
		}
	case <-ctx.Done():
	}
	if got.res.Work == nil {
		got.res.Work = &ev
	}
	if ctx.Err() != nil { // the error may say only that
		got.res.Work.Slow = true
		return got.res
	}
	got.res.Work.Trouble = append(got.res.Work.Trouble, got.err.Error())
	if ev.Moment == session.SessionStarted { // without a folder there is no later report
		got.res.Message = session.Trouble(quote.Text(got.err.Error()))
	}
	return got.res
}

// job is the work that Hook leaves to Work.
type job struct {
	Dir   string        `json:"dir"`
	Event session.Event `json:"event"`
}

// maxInput limits a hook's input, in bytes: a prompt with a pasted file.
const maxInput = 16 << 20

// maxJob limits the input of Work, in bytes: JSON needs six bytes for some characters.
const maxJob = 6*maxInput + 1<<20

// Work does the work that a hook left. in holds the job that the hook wrote.
func Work(ctx context.Context, in io.Reader, open func(dir string) (*app.Memory, error)) error {
	data, err := io.ReadAll(io.LimitReader(in, maxJob))
	if err != nil {
		return fmt.Errorf("reading what a hook left to be done: %w", err)
	}
	var j job
	if err := json.Unmarshal(data, &j); err != nil {
		return fmt.Errorf("reading what a hook left to be done: %w", err)
	}
	m, err := open(j.Dir)
	if err != nil {
		return err
	}
	_, err = session.Work(ctx, m, j.Event)
	return errors.Join(err, m.Close())
}

// answer writes the text for the agent, or nothing if there is none.
func answer(out io.Writer, event string, res session.HookResult) {
	a := output{Message: quote.Safe(res.Message)}
	if res.Context != "" {
		a.Specific = &specific{Event: event, Context: res.Context}
	}
	if a == (output{}) {
		return
	}
	if data, err := json.Marshal(a); err == nil {
		_, _ = out.Write(append(data, '\n'))
	}
}
