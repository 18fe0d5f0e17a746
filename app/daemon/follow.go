package daemon

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/index/watch"
)

// Follow calls hear for each change of memory, made by this process, by another one, or by a person with an editor. It
// blocks until ctx ends, and then returns nil. A folder outside a repository gives an error of KindNoPlace. A
// repository without memory can be followed.
//
// The first event is always Synced, with the current edition of the index. Every later change is reported. After
// Synced comes RunStarted for each active run. MemoryStored comes after a fact was written to Markdown, and never if
// nothing was stored. A fact that moves or is edited is not stored again. More than 100 facts of one kind at once are
// reported as one event with their Count. The facts of a run are reported before its RunEnded.
//
// Follow calls its listener on its goroutine, one event at a time. Up to 256 events wait for a slow listener. Further
// events are dropped, and one event, Missed, counts them. All listeners of one Memory share one reader of its files.
//
// Not guaranteed: a change that is undone within a quarter of a second may not be reported.
func Follow(ctx context.Context, m *app.Memory, hear func(api.Event)) error {
	o := m.Silent()
	if _, _, err := o.Place(); err != nil {
		return app.AsError(err)
	}
	q := newEventQueue()
	leave := followersOf(m).join(ctx, m, q)
	defer leave()
	q.deliver(ctx, hear)
	return nil
}

type followersKey struct{}

func followersOf(m *app.Memory) *followers {
	return m.Values.Of(followersKey{}, &followers{}).(*followers)
}

// followers counts the listeners of a Memory. They share one reader of its files, which runs while there is a listener.
type followers struct {
	mu     sync.Mutex
	Count  int
	Reader *reader
}

// join adds a listener, and returns a function that removes it.
func (f *followers) join(ctx context.Context, m *app.Memory, q *eventQueue) (leave func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.Count++; f.Count == 1 {
		f.Reader = startReader(context.WithoutCancel(ctx), m)
	}
	r := f.Reader
	r.add(q)
	return func() {
		r.remove(q)
		f.mu.Lock()
		f.Count--
		last := f.Count == 0
		f.mu.Unlock()
		if last {
			r.end()
		}
	}
}

// Intervals between two looks at the files.
const (
	// followQuiet is how long Markdown must be unchanged before it is read, and followMost is how long constant changes
	// can delay that.
	followQuiet = 100 * time.Millisecond
	followMost  = time.Second
	// lookEvery is the interval of looks at the folders of runs and at the index file. A look costs a few stats if
	// nothing changed.
	lookEvery = 250 * time.Millisecond
)

// reader looks at the files of a memory for all its listeners.
type reader struct {
	m    *app.Memory
	stop context.CancelFunc
	over chan struct{}

	Mu        sync.Mutex // guards the fields below, and serializes looks
	Listeners map[*eventQueue]bool
	begun     bool // the first look is done: changes found from now on are news
	facts     factWatch
	runs      runWatch
	index     indexWatch
}

func startReader(ctx context.Context, m *app.Memory) *reader {
	ctx, stop := context.WithCancel(ctx)
	r := &reader{m: m, stop: stop, over: make(chan struct{}), Listeners: map[*eventQueue]bool{}}
	go func() {
		defer close(r.over)
		var beside sync.WaitGroup
		beside.Go(func() {
			for range app.Ticks(ctx, lookEvery) {
				r.glance(ctx)
			}
		})
		o := r.options(ctx)
		_ = watch.Run(ctx, o, r.look) // always nil: failures go to Notice
		beside.Wait()
	}()
	return r
}

// end stops the reader and waits until it has finished.
func (r *reader) end() {
	r.stop()
	<-r.over
}

func (r *reader) options(ctx context.Context) watch.Options {
	o := watch.Options{Debounce: followQuiet, MaxWait: followMost, Notice: func(what string) { r.trouble(ctx, what) }}
	op := r.m.Silent()
	place, dirs, err := op.Place()
	if err != nil {
		return o // the place is gone; each look reports it
	}
	o.Roots = []string{place.Memory()}
	if global := dirs.Global(); global.Root != "" {
		o.Roots = append(o.Roots, global.Memory())
	}
	if settings, err := op.Load(place, dirs); err == nil {
		o.Poll = settings.Watch.Poll
	}
	return o
}

// trouble records a failure after which the reader continues.
func (r *reader) trouble(ctx context.Context, what string) {
	if what == watch.Recovered {
		return
	}
	if s, err := r.m.Silent().OpenExisting(ctx); err == nil {
		s.Degraded("follow", []string{what})
	}
}

func (r *reader) add(q *eventQueue) {
	r.Mu.Lock()
	defer r.Mu.Unlock()
	r.Listeners[q] = true
	if r.begun {
		r.greet(q)
	}
}

func (r *reader) remove(q *eventQueue) {
	r.Mu.Lock()
	defer r.Mu.Unlock()
	delete(r.Listeners, q)
}

// greet puts the current state into the queue of a new listener.
func (r *reader) greet(q *eventQueue) {
	now := time.Now()
	q.put(api.Event{Kind: api.Synced, Time: now, Edition: r.index.edition})
	for _, run := range r.runs.going() {
		q.put(api.Event{Kind: api.RunStarted, Time: now, ID: run.ID, Run: &run})
	}
}

func (r *reader) Tell(events []api.Event) {
	now := time.Now()
	for _, e := range events {
		e.Time = now
		for q := range r.Listeners {
			q.put(e)
		}
	}
}

// look reads all files that may have changed. After an error a later try may succeed.
func (r *reader) look(ctx context.Context) error {
	r.Mu.Lock()
	defer r.Mu.Unlock()
	return r.read(ctx, true)
}

// glance looks at runs and at the index. It reads Markdown too if a run ended or facts were missing at the last look.
func (r *reader) glance(ctx context.Context) {
	r.Mu.Lock()
	defer r.Mu.Unlock()
	if r.begun && ctx.Err() == nil {
		_ = r.read(ctx, false) // if Markdown cannot be read, the watch tries again and reports it
	}
}

// read reports the changes: first runs that began or made progress, then facts, then runs that ended, then the index.
func (r *reader) read(ctx context.Context, markdown bool) error {
	runs, index := r.runs.look(ctx, r.m, time.Now()), r.index.look(ctx, r.m)
	var facts []api.Event
	var err error
	if markdown || r.facts.waits() || slices.ContainsFunc(runs, ends) {
		facts, err = r.facts.Look(ctx, r.m, time.Now())
	}
	switch {
	case r.begun:
		over := slices.DeleteFunc(slices.Clone(runs), func(e api.Event) bool { return !ends(e) })
		r.Tell(slices.Concat(slices.DeleteFunc(runs, ends), facts, over, index))
	case err == nil:
		r.begun = true
		for q := range r.Listeners {
			r.greet(q)
		}
	}
	if err != nil {
		return fmt.Errorf("following memory: %w", err)
	}
	return nil
}

func ends(e api.Event) bool { return e.Kind == api.RunEnded }
