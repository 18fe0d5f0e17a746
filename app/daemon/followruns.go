package daemon

import (
	"cmp"
	"context"
	"slices"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/run"
	"agentflow/app/session"
	"agentflow/executor"
	"agentflow/executor/agent"
	"agentflow/executor/progress"
	"agentflow/memory"
)

// progressEvery spaces the progress events of one run.
const progressEvery = time.Second

// runWatch follows the runs of a repository, in this and in other processes.
type runWatch struct {
	over  map[string]bool // runs that are known to have ended
	live  map[string]*followedRun
	begun bool
}

// followedRun is an active run.
type followedRun struct {
	follower *executor.Follower
	progress *progress.State // nil until the run's agent is known
	state    api.RunState
	told     time.Time // when state was last reported
	begun    bool      // RunStarted was reported
}

// going lists the active runs, oldest first.
func (w *runWatch) going() (list []api.RunState) {
	for _, r := range w.live {
		if r.begun {
			list = append(list, r.state)
		}
	}
	slices.SortFunc(list, func(a, b api.RunState) int { return cmp.Or(a.Started.Compare(b.Started), cmp.Compare(a.ID, b.ID)) })
	return list
}

// look returns the events of runs since the last look. The first look only records the runs.
func (w *runWatch) look(ctx context.Context, m *app.Memory, now time.Time) (events []api.Event) {
	place, _, err := m.Silent().Place()
	if err != nil {
		return nil // the same as no runs; the watch reports why
	}
	first := !w.begun
	if w.begun = true; w.live == nil {
		w.over, w.live = map[string]bool{}, map[string]*followedRun{}
	}
	there := map[string]bool{}
	for _, id := range executor.IDs(place.Runs()) {
		there[id] = true
		if w.over[id] {
			continue
		}
		r := w.live[id]
		if r == nil {
			r = &followedRun{follower: executor.Follow(place.Runs(), id)}
		}
		switch live := r.follower.Live(); {
		case live:
			w.live[id] = r
			events = append(events, r.look(now)...)
		case r.begun || !first && r.known():
			events = append(events, r.look(now)...)
			delete(w.live, id)
			w.over[id] = true
			events = append(events, ended(ctx, m, r, now))
		case first:
			w.over[id] = true
		}
	}
	for id, r := range w.live {
		if !there[id] {
			delete(w.live, id)
			if r.begun {
				events = append(events, ended(ctx, m, r, now))
			}
		}
	}
	for id := range w.over {
		if !there[id] {
			delete(w.over, id)
		}
	}
	if first {
		return nil // the greeting reports them
	}
	return events
}

func (r *followedRun) known() bool {
	_, known := r.follower.Run()
	return known
}

// look reads the run's new output, and returns its event if one is due.
func (r *followedRun) look(now time.Time) (events []api.Event) {
	run, known := r.follower.Run()
	if !known {
		return nil // the run is just starting
	}
	if r.progress == nil {
		r.progress = progress.New(run.Agent, r.follower.Dir())
	}
	_ = r.follower.Next(r.progress.Add) // output that cannot be read now is read at the next look
	r.progress.Add(agent.Event{Kind: executor.EventPhase, Text: r.follower.Phase()})
	state := api.RunState{
		LiveRun: api.LiveRun{ID: run.ID, Task: run.Task, Agent: run.Agent, Started: run.Started},
		Doing:   r.progress.Doing(), Turns: r.progress.Turns, CostUSD: r.progress.CostUSD, DurationMS: now.Sub(run.Started).Milliseconds(),
	}
	news := state.Doing != r.state.Doing || state.Turns != r.state.Turns || state.CostUSD != r.state.CostUSD
	kind := api.RunProgress
	switch {
	case !r.begun:
		kind = api.RunStarted
	case !news || now.Sub(r.told) < progressEvery:
		return nil
	}
	r.begun, r.state, r.told = true, state, now
	return []api.Event{{Kind: kind, ID: run.ID, Run: &state}}
}

// ended reports how a run ended, from its entry or else from its folder. It first records the remains of a killed run.
func ended(ctx context.Context, m *app.Memory, r *followedRun, now time.Time) api.Event {
	state := r.state
	end, err := r.follower.End()
	if err != nil {
		end.Outcome = memory.OutcomeInterrupted // the journal of the run is damaged
	}
	state.Outcome, state.Turns, state.CostUSD = end.Outcome, max(state.Turns, end.Turns), max(state.CostUSD, end.CostUSD)
	state.DurationMS = max(now.Sub(state.Started).Milliseconds(), 0)
	if end.Duration > 0 {
		state.DurationMS = end.Duration.Milliseconds()
	}
	if s, err := m.Silent().OpenExisting(ctx); err == nil {
		if end.Unfinished {
			session.RecoverRuns(ctx, s, nil)
		}
		if list := run.Newest(s, 1, func(e *memory.Entry) bool { return e.ID == state.ID }); len(list) > 0 {
			entry := api.NewRun(*list[0].Entry, "")
			state.Recorded, state.Outcome, state.DurationMS = true, entry.Outcome, entry.DurationMS
			state.Turns, state.CostUSD = entry.Turns, entry.CostUSD
		}
	}
	return api.Event{Kind: api.RunEnded, ID: state.ID, Run: &state}
}
