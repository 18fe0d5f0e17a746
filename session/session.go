// Package session is the door for agents' own hooks: what Claude Code and Codex
// start when a session begins, when the user asks something, and when the agent is done.
//
// Guarantees: a hook never keeps its agent waiting beyond its limit, never stops
// a prompt or a turn, and never fails; what does not work is recorded, and said
// once in the session. Whatever takes time is left to a process that outlives the hook and the agent.
//
// Not guaranteed: a prompt gets memory only where that is found in time.
package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"agentflow/app"
	"agentflow/memory/quote"
)

// Options are what the door works with.
type Options struct {
	In  io.Reader // what the agent tells the hook
	Out io.Writer // what the hook answers
	// Agent is the one whose hook it is: claude or codex.
	Agent string
	// EnvFile is the file of shell lines that the agent runs before its
	// commands; empty: it has none.
	EnvFile string
	// Project is the folder that the session was started in; empty: that of the hook's input.
	Project string
	Open    func(dir string) (*app.Memory, error)
	// Detach starts 'agentflow session work' in a folder, with an input, in a
	// process of its own.
	Detach func(dir string, input []byte) error
}

// limit is how long an agent waits for a hook, whatever memory waits for. A prompt's
// recall has a limit of its own, the setting session.deadline, and other hooks
// leave everything to a process of its own: both take a tenth of it or less.
const limit = time.Second

// Hook answers one hook. It always succeeds, as an agent stops for one that
// fails.
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
	res := within(ctx, ev, func() (app.SessionHookResult, error) {
		m, err := o.Open(dir)
		if err != nil {
			return app.SessionHookResult{}, err
		}
		defer m.Close()
		return m.SessionHook(ctx, ev)
	})
	for _, left := range []*app.SessionEvent{res.Work, res.Watch} {
		if left == nil {
			continue
		}
		if input, err := json.Marshal(job{Dir: dir, Event: *left}); err == nil {
			_ = o.Detach(dir, input) // the next hook does it
		}
	}
	answer(o.Out, in.Event, res)
}

// inputInTime reads what a hook is told, and waits for its end no longer than a
// hook may take. Then the reading goes on until the process ends.
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
		return in, errors.New("what a hook is told has no end")
	}
}

// within waits for a hook's work until the context ends. A process of its own does what was
// not done then, which is no failure, and what failed.
func within(ctx context.Context, ev app.SessionEvent, work func() (app.SessionHookResult, error)) app.SessionHookResult {
	type outcome struct {
		res app.SessionHookResult
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
	if ctx.Err() != nil { // an error may say only that
		got.res.Work.Slow = true
		return got.res
	}
	got.res.Work.Trouble = append(got.res.Work.Trouble, got.err.Error())
	if ev.Moment == app.SessionStarted { // what has no folder cannot say it later
		got.res.Message = app.SessionTrouble(quote.Text(got.err.Error()))
	}
	return got.res
}

// job is what Hook leaves to Work.
type job struct {
	Dir   string           `json:"dir"`
	Event app.SessionEvent `json:"event"`
}

// maxInput bounds what a hook is told, in bytes: a prompt with a pasted file.
const maxInput = 16 << 20

// maxJob bounds what a hook leaves, in bytes: JSON takes six for some.
const maxJob = 6*maxInput + 1<<20

// Work does what a hook left to be done: in holds what it wrote.
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
	_, err = m.SessionWork(ctx, j.Event)
	return errors.Join(err, m.Close())
}

// answer writes what the agent reads: nothing where there is nothing to say.
func answer(out io.Writer, event string, res app.SessionHookResult) {
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
