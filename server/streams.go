package server

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"agentflow/api"
	"agentflow/app"
)

// maxKept is how many events of a repository are kept for readers that come
// back.
const maxKept = 100

// maxBehind is how many events a reader may be behind before it is dropped.
const maxBehind = 64

// followAgain is the time after which a repository is followed again when that
// ended, as there was no memory yet.
const followAgain = 2 * time.Second

// follower tells what happens to a memory until ctx ends, or it cannot.
type follower func(ctx context.Context, m *app.Memory, hear func(api.Event)) error

// follow asks the memory itself.
func follow(ctx context.Context, m *app.Memory, hear func(api.Event)) error {
	return m.Follow(ctx, hear)
}

// streams are the readers of events, of all repositories. A repository is
// followed from its first reader on.
type streams struct {
	ctx    context.Context // their end
	follow follower
	beat   time.Duration
	run    string // tells the ids of events from those of another process

	mu    sync.Mutex
	count int
	of    map[string]int // by token
	hubs  map[string]*hub
}

// hub is one repository's.
type hub struct {
	name  string
	feeds []*feed
	kept  []message // the last ones
	count int       // of events so far
}

// feed is what one reader gets.
type feed struct {
	streams  *streams
	hub      *hub
	messages chan message // closed when the reader is too slow
	token    string       // name of the reader's; empty: it has none of its own
	at       string       // id of the last event before it began
	closed   bool
}

func newStreams(ctx context.Context, follow follower) *streams {
	return &streams{ctx: ctx, follow: follow, beat: beat, run: rand.Text()[:8], of: map[string]int{}, hubs: map[string]*hub{}}
}

// open is a feed for a reader with a token that has seen the event last; missed are those
// after it, nil when nobody knows. One token leaves room for the others.
func (s *streams) open(r Repository, last, token string) (f *feed, missed []message, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.count == maxStreams || token != "" && s.of[token] == maxOfOne {
		return nil, nil, &app.Error{Kind: app.KindUnavailable, Err: errors.New("too many readers of events"), Hint: "close a page, or ask again later"}
	}
	h := s.hubs[r.Name]
	if h == nil {
		h = &hub{name: r.Name}
		s.hubs[r.Name] = h
		go s.feedHub(h, r.Memory)
	}
	f = &feed{streams: s, hub: h, messages: make(chan message, maxBehind), token: token, at: s.id(h.count)}
	h.feeds = append(h.feeds, f)
	s.count++
	s.of[token]++
	if last == f.at {
		return f, []message{}, nil
	}
	if i := slices.IndexFunc(h.kept, func(m message) bool { return m.id == last }); i >= 0 {
		missed = slices.Clone(h.kept[i+1:])
	}
	return f, missed, nil
}

// shared is a repository without regard to who asks: its readers share what is followed.
func (s *Server) shared(name string) Repository {
	return s.options.Repositories[slices.IndexFunc(s.options.Repositories, func(r Repository) bool { return r.Name == name })]
}

func (s *streams) id(n int) string { return fmt.Sprintf("%s-%d", s.run, n) }

// close ends a feed, once.
func (f *feed) close() {
	f.streams.mu.Lock()
	defer f.streams.mu.Unlock()
	f.end()
}

// end takes a feed out; streams.mu is held.
func (f *feed) end() {
	if f.closed {
		return
	}
	f.closed = true
	close(f.messages)
	f.streams.count--
	if f.streams.of[f.token]--; f.streams.of[f.token] == 0 {
		delete(f.streams.of, f.token)
	}
	f.hub.feeds = slices.DeleteFunc(f.hub.feeds, func(other *feed) bool { return other == f })
}

// feedHub tells the readers of a repository what happens, until the streams
// end.
func (s *streams) feedHub(h *hub, m *app.Memory) {
	for s.ctx.Err() == nil {
		_ = s.follow(app.Quiet(s.ctx), m, func(e api.Event) { s.tell(h, e) }) // there is no memory yet, or it is gone
		select {
		case <-s.ctx.Done():
		case <-time.After(followAgain):
		}
	}
}

// tell passes an event on. A reader that is too far behind is dropped: it comes
// back with the id of the last event that it saw.
func (s *streams) tell(h *hub, e api.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h.count++
	m := message{name: string(e.Kind), id: s.id(h.count), data: Event{e, h.name}}
	if h.kept = append(h.kept, m); len(h.kept) > maxKept {
		h.kept = slices.Delete(h.kept, 0, len(h.kept)-maxKept)
	}
	for _, f := range slices.Clone(h.feeds) {
		select {
		case f.messages <- m:
		default:
			f.end()
		}
	}
}
