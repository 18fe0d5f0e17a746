package app

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"agentflow/api"
	"agentflow/index/watch"
)

// Follow tells hear what happens to memory, whoever does it: this process,
// another one, or a person with an editor. It blocks until ctx ends, which is
// no error. The error of a place that is no repository is of KindNoPlace; a
// repository that has no memory yet is followed all the same.
//
// The first event is always Synced, with the edition of the index as it is: whatever
// happens from then on is told. Then follows RunStarted for each run that goes
// on. MemoryStored comes after a fact stands in Markdown, and never when
// nothing was stored; a fact that moves, or that is edited, is not stored
// again. More than 100 facts of one kind at once are one event with their
// Count. The facts of a run are told before its RunEnded.
//
// hear is called on the goroutine of Follow, one event at a time. Up to 256
// events wait for a slow one; of what happens then it is told by one event,
// Missed. However many follow one Memory, its files are read once.
//
// Not guaranteed: what is undone within a quarter of a second may not be told.
func (m *Memory) Follow(ctx context.Context, hear func(api.Event)) error {
	o := m.silent()
	if _, _, err := o.place(); err != nil {
		return AsError(err)
	}
	q := newEventQueue()
	leave := m.follow.join(ctx, m, q)
	defer leave()
	q.deliver(ctx, hear)
	return nil
}

// followers are those who follow a Memory. They share one reader of its files,
// which is there as long as they are.
type followers struct {
	mu     sync.Mutex
	count  int
	reader *reader
}

// join adds a listener, and returns what takes it away.
func (f *followers) join(ctx context.Context, m *Memory, q *eventQueue) (leave func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.count++; f.count == 1 {
		f.reader = startReader(context.WithoutCancel(ctx), m)
	}
	r := f.reader
	r.add(q)
	return func() {
		r.remove(q)
		f.mu.Lock()
		f.count--
		last := f.count == 0
		f.mu.Unlock()
		if last {
			r.end()
		}
	}
}

// Times between two looks.
const (
	// followQuiet is how long nothing must have happened to Markdown before it is
	// read, and followMost how long constant changes can put that off.
	followQuiet = 100 * time.Millisecond
	followMost  = time.Second
	// lookEvery is how often folders of runs and the index's file are looked at.
	// Looks at what has not changed are a few stats.
	lookEvery = 250 * time.Millisecond
)

// reader looks at the files of a memory for all who follow it.
type reader struct {
	m    *Memory
	stop context.CancelFunc
	over chan struct{}

	mu        sync.Mutex // of a look, and of who listens
	listeners map[*eventQueue]bool
	begun     bool // the first look is done: whatever is found now is news
	facts     factWatch
	runs      runWatch
	index     indexWatch
}

func startReader(ctx context.Context, m *Memory) *reader {
	ctx, stop := context.WithCancel(ctx)
	r := &reader{m: m, stop: stop, over: make(chan struct{}), listeners: map[*eventQueue]bool{}}
	go func() {
		defer close(r.over)
		var beside sync.WaitGroup
		beside.Go(func() {
			for range ticks(ctx, lookEvery) {
				r.glance(ctx)
			}
		})
		o := r.options(ctx)
		_ = watch.Run(ctx, o, r.look) // always nil: what does not work goes to Notice
		beside.Wait()
	}()
	return r
}

// end waits until nothing is read any more.
func (r *reader) end() {
	r.stop()
	<-r.over
}

func (r *reader) options(ctx context.Context) watch.Options {
	o := watch.Options{Debounce: followQuiet, MaxWait: followMost, Notice: func(what string) { r.trouble(ctx, what) }}
	op := r.m.silent()
	place, dirs, err := op.place()
	if err != nil {
		return o // gone since; each look says so
	}
	o.Roots = []string{place.Memory()}
	if global := dirs.Global(); global.Root != "" {
		o.Roots = append(o.Roots, global.Memory())
	}
	if settings, err := op.load(place, dirs); err == nil {
		o.Poll = settings.Watch.Poll
	}
	return o
}

// trouble records what does not work though the reader goes on.
func (r *reader) trouble(ctx context.Context, what string) {
	if what == watch.Recovered {
		return
	}
	if s, err := r.m.silent().openExisting(ctx); err == nil {
		s.degraded("follow", []string{what})
	}
}

func (r *reader) add(q *eventQueue) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.listeners[q] = true
	if r.begun {
		r.greet(q)
	}
}

func (r *reader) remove(q *eventQueue) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.listeners, q)
}

// greet tells a new listener how things are.
func (r *reader) greet(q *eventQueue) {
	now := time.Now()
	q.put(api.Event{Kind: api.Synced, Time: now, Edition: r.index.edition})
	for _, run := range r.runs.going() {
		q.put(api.Event{Kind: api.RunStarted, Time: now, ID: run.ID, Run: &run})
	}
}

func (r *reader) tell(events []api.Event) {
	now := time.Now()
	for _, e := range events {
		e.Time = now
		for q := range r.listeners {
			q.put(e)
		}
	}
}

// look reads all that may have changed. Its error means that a later try may
// work.
func (r *reader) look(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.read(ctx, true)
}

// glance looks at runs and at the index, and reads Markdown where a run ended or
// facts were missing at the last look.
func (r *reader) glance(ctx context.Context) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.begun && ctx.Err() == nil {
		_ = r.read(ctx, false) // where Markdown cannot be read, the watch tries again, and says so
	}
}

// read tells what is new: that runs begin or go on, then facts, then that runs
// ended.
func (r *reader) read(ctx context.Context, markdown bool) error {
	runs, index := r.runs.look(ctx, r.m, time.Now()), r.index.look(ctx, r.m)
	var facts []api.Event
	var err error
	if markdown || r.facts.waits() || slices.ContainsFunc(runs, ends) {
		facts, err = r.facts.look(ctx, r.m, time.Now())
	}
	switch {
	case r.begun:
		over := slices.DeleteFunc(slices.Clone(runs), func(e api.Event) bool { return !ends(e) })
		r.tell(slices.Concat(slices.DeleteFunc(runs, ends), facts, over, index))
	case err == nil:
		r.begun = true
		for q := range r.listeners {
			r.greet(q)
		}
	}
	if err != nil {
		return fmt.Errorf("following memory: %w", err)
	}
	return nil
}

func ends(e api.Event) bool { return e.Kind == api.RunEnded }
