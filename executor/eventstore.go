package executor

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"agentflow/executor/agent"
	"agentflow/gitwatch/calls"
)

// maxSaid bounds, in bytes, the text of messages that is redacted and kept of one
// run. Beyond it only the end is kept.
const maxSaid = 16 << 20

// quiet is how long text is held back to be redacted with the text that follows.
const quiet = 2 * time.Second

// eventStore redacts the agent's events and puts them into the summary and the
// event log: at once, or behind a backlog, so that the agent does not wait. It is
// safe for concurrent use.
type eventStore struct {
	deps    Deps
	log     *eventLog // nil keeps none
	past    bool      // the events are read later than they happened: files are not looked at
	summary *runSummary
	// degrade is called when the log fails.
	degrade func(string)

	mu       sync.Mutex
	behind   *backlog  // of take; nil: events are stored at once
	size     int       // bytes of messages that are redacted and kept
	over     tail      // the rest
	lastText time.Time // when the agent said something last
	held     bool      // said holds text
	closed   bool
	writing  map[string][]string // by open call: the files that it names

	// take's alone, until the backlog is closed
	said   streamRedactor
	saidAt time.Time // of the last text in it; zero of events of the past
}

// flushMark is an event for take alone: lines that are held are to be stored.
const flushMark agent.Kind = "flush"

func newEventStore(deps Deps, log *eventLog, t *runSummary, degrade func(string)) *eventStore {
	s := &eventStore{deps: deps, log: log, summary: t, degrade: degrade, over: tail{max: agent.MaxMessage + lookAhead}}
	s.said = streamRedactor{redact: deps.Redact, emit: func(piece string) {
		s.store(agent.Event{Kind: agent.Said, Text: piece, More: true, Time: s.saidAt})
	}}
	return s
}

// add takes one event of the agent.
func (s *eventStore) add(ev agent.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	if !s.past && (ev.Kind == agent.ToolStarted || ev.Kind == agent.ToolEnded) {
		ev = s.withSights(ev) // first of all: the agent is at work on them
	}
	s.deps.Sink(ev)
	ev.Time = s.timeOf(ev)
	switch ev.Kind {
	case agent.Activity, agent.Retry:
		return
	case agent.Said:
		if ev.Text = s.bounded(ev.Text); ev.Text == "" && ev.More {
			return
		}
		s.held = ev.More
	case agent.ToolStarted, agent.ToolEnded:
		ev = s.withoutSecrets(ev) // here, as the end of a call looks at the files that are left
	}
	s.pass(ev)
}

// bounded returns the part of a message's text that is redacted and kept. Once
// beyond the bound it is none, for good: short text must not overtake.
func (s *eventStore) bounded(text string) string {
	s.lastText = time.Now()
	if s.over.total == 0 && s.size+len(text) <= maxSaid {
		s.size += len(text)
		return text
	}
	s.over.write(text)
	return ""
}

// pass has an event stored.
func (s *eventStore) pass(ev agent.Event) {
	if s.behind != nil {
		s.behind.put(ev)
	} else {
		s.take(ev)
	}
}

// take redacts and stores one event.
func (s *eventStore) take(ev agent.Event) {
	switch ev.Kind {
	case flushMark:
		s.said.flushLines()
		return
	case agent.Said:
		if !s.past {
			s.saidAt = ev.Time
		}
		s.said.write(ev.Text)
		if ev.More {
			return
		}
		s.said.flush()
		ev = agent.Event{Kind: agent.Said, Time: s.saidAt}
	case agent.Asked, agent.Denied, agent.Given, agent.Left, agent.Result:
		ev.Text, ev.Detail = redactBounded(s.deps.Redact, ev.Text, agent.MaxMessage), redactBounded(s.deps.Redact, ev.Detail, agent.MaxMessage)
	}
	s.store(ev)
}

// flushQuiet gives out the lines that are held when nothing was said for a
// while. It returns when to come back; the zero time is after the next text.
func (s *eventStore) flushQuiet(now time.Time) time.Time {
	if !s.mu.TryLock() {
		return now.Add(quiet)
	}
	defer s.mu.Unlock()
	if !s.held || s.closed {
		return time.Time{}
	}
	if due := s.lastText.Add(quiet); now.Before(due) {
		return due
	}
	if s.behind != nil && !s.behind.idle() {
		return now.Add(quiet) // nothing is held back: there is enough to do
	}
	s.pass(agent.Event{Kind: flushMark})
	s.held = false
	return time.Time{}
}

func (s *eventStore) store(ev agent.Event) {
	s.summary.add(ev)
	if s.log == nil {
		return
	}
	if err := s.log.add(ev); err != nil {
		s.degrade(err.Error())
	}
}

// clockDrift is how far an agent's own time may be from ours to be believed.
const clockDrift = 5 * time.Second

// timeOf is when an event happened, by the agent or else by our clock.
func (s *eventStore) timeOf(ev agent.Event) time.Time {
	if s.past {
		return ev.Time
	}
	now := s.deps.Now()
	if since := now.Sub(ev.Time); ev.Time.IsZero() || since < 0 || since > clockDrift {
		return now
	}
	return ev.Time
}

// withSights adds to a tool's event the time, and how the files that the call
// names stand now.
func (s *eventStore) withSights(ev agent.Event) agent.Event {
	ev.Time = s.timeOf(ev)
	if ev.Kind == agent.ToolStarted {
		if s.writing == nil {
			s.writing = map[string][]string{}
		}
		if names := slices.Concat(ev.Paths, ev.Names); len(names) > 0 {
			s.writing[ev.Call] = names
		}
	}
	if !ev.Late {
		ev.Seen = calls.Look(s.deps.Dir, s.writing[ev.Call])
	}
	if ev.Kind == agent.ToolEnded {
		delete(s.writing, ev.Call)
	}
	return ev
}

// withoutSecrets leaves out names that hold a secret, or are one where they
// stand, and takes the secrets out of what is told to people.
func (s *eventStore) withoutSecrets(ev agent.Event) agent.Event {
	var around string
	if len(ev.Names) > 0 {
		ev.NamesIn = agent.ClipBytes(ev.NamesIn, agent.MaxMessage)
		around = s.deps.Redact(ev.NamesIn)
	}
	secret := func(name string) bool {
		word := strings.TrimPrefix(name, calls.Anywhere)
		return strings.Contains(ev.NamesIn, word) && !strings.Contains(around, word) || s.deps.Redact(name) != name
	}
	for i, c := range ev.Checks {
		ev.Checks[i].Name, ev.Checks[i].Dir = s.deps.Redact(c.Name), s.deps.Redact(c.Dir)
	}
	ev.Names, ev.Detail = slices.DeleteFunc(ev.Names, secret), detailWithoutSecrets(s.deps.Redact, ev.Detail)
	if _, on := s.writing[ev.Call]; on { // they are looked at again at its end
		s.writing[ev.Call] = slices.Concat(ev.Paths, ev.Names)
	}
	ev.Seen = slices.DeleteFunc(ev.Seen, func(seen calls.FileState) bool { return !slices.Contains(ev.Paths, seen.Path) && secret(seen.Path) })
	return ev
}

// close waits until all is stored, then stores the end of the text beyond the
// bound, ends the log and returns remarks on what is missing in it. When hurry is
// closed, what is not redacted by then is dropped.
func (s *eventStore) close(hurry <-chan struct{}) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	var remarks []string
	if dropped := s.finishBacklog(hurry); dropped > 0 {
		remarks = append(remarks, fmt.Sprintf("%d KB that the agent said last are not kept: they were not redacted yet when the run was ended", (dropped+1023)>>10))
	}
	if s.over.total > 0 {
		s.said.emit(s.over.redacted(s.deps.Redact))
		s.take(agent.Event{Kind: agent.Said, Time: s.timeOf(agent.Event{})})
		remarks = append(remarks, fmt.Sprintf("the agent said %d MB more than is kept; memories were looked for in the first %d MB and the end",
			s.over.total>>20, maxSaid>>20))
	}
	if s.log == nil {
		return remarks
	}
	if s.log.dropped > 0 {
		remarks = append(remarks, fmt.Sprintf("%d events are not in the run's log, which is full", s.log.dropped))
	}
	if err := s.log.close(); err != nil {
		s.degrade(err.Error())
	}
	return remarks
}

// storeBehind makes a backlog of what comes. It is called before all else.
func (s *eventStore) storeBehind() {
	s.behind = newBacklog(s.take)
	s.said.waits = s.behind.waits
}

func (s *eventStore) finishBacklog(hurry <-chan struct{}) (dropped int) {
	if s.behind == nil {
		return 0
	}
	dropped = s.behind.close(hurry, func(left int) {
		s.deps.Sink(agent.Event{Kind: EventRemark, Text: fmt.Sprintf("the agent has ended; secrets are still being taken out of the last %d MB that it said", left>>20)})
	})
	s.behind = nil
	return dropped
}
