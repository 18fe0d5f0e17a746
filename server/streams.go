package server

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/daemon"
)

// maxKept is how many events of a repository are kept for readers that
// reconnect.
const maxKept = 100

// maxBehind is how many events a reader may be behind before it is dropped.
const maxBehind = 64

// Limits of streams.
const (
	maxStreams = 64               // open streams of all pages and programs
	maxOfOne   = 16               // open streams with one token of a team
	beat       = 15 * time.Second // interval of keep-alive comments
)

// followAgain is the pause before a repository is followed again after
// following it ended, because there was no memory yet.
const followAgain = 2 * time.Second

// follower reports the events of a memory to a callback until ctx ends, or
// until it fails.
type follower func(ctx context.Context, m *app.Memory, hear func(api.Event)) error

// follow reports the events of the memory itself.
func follow(ctx context.Context, m *app.Memory, hear func(api.Event)) error {
	return daemon.Follow(ctx, m, hear)
}

// streams manages the readers of events of all repositories. A repository is
// followed from its first reader on.
type streams struct {
	ctx    context.Context // its end ends the streams
	follow follower
	beat   time.Duration
	run    string // distinguishes the ids of events from those of another process

	mu    sync.Mutex
	count int
	of    map[string]int // number of readers by token
	hubs  map[string]*hub
}

// hub distributes the events of one repository.
type hub struct {
	name  string
	feeds []*feed
	kept  []message // the latest events
	count int       // number of events so far
}

// feed is the connection of one reader to a hub.
type feed struct {
	streams  *streams
	hub      *hub
	messages chan message // closed if the reader is too slow
	token    string       // name of the reader's token; empty if it has none
	at       string       // id of the last event before the feed began
	closed   bool
}

func newStreams(ctx context.Context, follow follower) *streams {
	return &streams{ctx: ctx, follow: follow, beat: beat, run: rand.Text()[:8], of: map[string]int{}, hubs: map[string]*hub{}}
}

// open opens a feed for a reader with a token that has seen the event last.
// missed are the events after it, or nil if they are unknown. The number of
// feeds with one token is limited, so that it leaves room for others.
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

// shared returns a repository without the rights of a caller, because all
// readers share the followed events.
func (s *Server) shared(name string) Repository {
	return s.options.Repositories[slices.IndexFunc(s.options.Repositories, func(r Repository) bool { return r.Name == name })]
}

func (s *streams) id(n int) string { return fmt.Sprintf("%s-%d", s.run, n) }

// close closes a feed; further calls do nothing.
func (f *feed) close() {
	f.streams.mu.Lock()
	defer f.streams.mu.Unlock()
	f.end()
}

// end removes a feed; streams.mu is held.
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

// feedHub passes the events of a repository to its readers, until the streams
// end.
func (s *streams) feedHub(h *hub, m *app.Memory) {
	for s.ctx.Err() == nil {
		_ = s.follow(app.Quiet(s.ctx), m, func(e api.Event) { s.tell(h, e) }) // there is no memory yet, or it was removed
		select {
		case <-s.ctx.Done():
		case <-time.After(followAgain):
		}
	}
}

// tell sends an event to the readers. A reader that is too far behind is
// dropped, and may reconnect with the id of the last event that it saw.
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
