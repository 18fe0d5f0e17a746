package executor

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"agentflow/executor/agent"
	"agentflow/executor/internal/bounded"
	"agentflow/executor/runfolder"
	"agentflow/executor/summary"
	"agentflow/gitwatch/toolcalls"
)

// quiet limits the wait of text to be redacted together with the text that follows.
const quiet = 2 * time.Second

// eventStore redacts the agent's events and adds them to the summary and the event log. It does
// so at once, or through a backlog, so that the agent does not wait. It is safe for concurrent
// use.
type eventStore struct {
	deps    Deps
	log     *runfolder.EventLog // nil: there is no log
	past    bool                // the events are read later than they happened, so the files are not read
	summary *summary.Summary
	// degrade is called when the log fails.
	degrade func(string)

	mu       sync.Mutex
	behind   *backlog     // of events for take; nil: events are stored at once
	size     int          // bytes of messages for redaction, at most maxSaid
	over     bounded.Tail // the text beyond maxSaid
	lastText time.Time    // when the agent last said something
	held     bool         // said holds text
	closed   bool
	writing  map[string][]string // by open call: the files that it names

	// Only take uses these, until the backlog is closed.
	said   bounded.StreamRedactor
	saidAt time.Time // of the last text in said; zero for events of the past
}

// flushMark makes take store the complete lines that are waiting.
const flushMark agent.Kind = "flush"

func newEventStore(deps Deps, log *runfolder.EventLog, t *summary.Summary, degrade func(string)) *eventStore {
	s := &eventStore{deps: deps, log: log, summary: t, degrade: degrade, over: bounded.Tail{Max: agent.MaxMessage + bounded.LookAhead}}
	s.said = bounded.StreamRedactor{Redact: deps.Redact, Emit: func(piece string) {
		s.store(agent.Event{Kind: agent.Said, Text: piece, More: true, Time: s.saidAt})
	}}
	return s
}

// add stores one event of the agent.
func (s *eventStore) add(ev agent.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	if !s.past && (ev.Kind == agent.ToolStarted || ev.Kind == agent.ToolEnded) {
		ev = s.withSights(ev) // before all else, because the agent is changing the files
	}
	s.deps.Sink(ev)
	ev.Time = s.timeOf(ev)
	switch ev.Kind {
	case agent.Activity, agent.Retry:
		return
	case agent.Planned:
		if s.leavesOut(ev.Paths) {
			return
		}
	case agent.Said:
		if ev.Text = s.bounded(ev.Text); ev.Text == "" && ev.More {
			return
		}
		s.held = ev.More
	case agent.ToolStarted, agent.ToolEnded:
		ev = s.withoutSecrets(ev) // now, because the end of a call looks at the remaining files
	}
	s.pass(ev)
}

// leavesOut reports whether a path, as a call names it, is one that must not enter memory.
func (s *eventStore) leavesOut(paths []string) bool {
	return s.deps.Ignore != nil && slices.ContainsFunc(paths, func(path string) bool {
		if !filepath.IsAbs(path) {
			path = filepath.Join(cmp.Or(s.deps.Dir, s.deps.WorkTree), path)
		}
		below, err := filepath.Rel(s.deps.WorkTree, path)
		return err == nil && filepath.IsLocal(below) && s.deps.Ignore(filepath.ToSlash(below))
	})
}

// bounded returns the part of a message's text that is redacted and kept. Once the limit is
// exceeded it returns none for the rest of the run: a later short text must not overtake an
// earlier long one.
func (s *eventStore) bounded(text string) string {
	s.lastText = time.Now()
	if s.over.Total == 0 && s.size+len(text) <= maxSaid {
		s.size += len(text)
		return text
	}
	s.over.Write(text)
	return ""
}

// pass stores an event, at once or through the backlog.
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
		s.said.FlushLines()
		return
	case agent.Said:
		if !s.past {
			s.saidAt = ev.Time
		}
		s.said.Write(ev.Text)
		if ev.More {
			return
		}
		s.said.Flush()
		ev = agent.Event{Kind: agent.Said, Time: s.saidAt}
	case agent.Asked, agent.Planned, agent.Denied, agent.Given, agent.Left, agent.Result:
		ev.Text, ev.Detail = bounded.RedactBounded(s.deps.Redact, ev.Text, agent.MaxMessage), bounded.RedactBounded(s.deps.Redact, ev.Detail, agent.MaxMessage)
	}
	s.store(ev)
}

// flushQuiet stores the complete lines that are waiting if the agent has said nothing for a
// while. It returns when to call it again; the zero time means after the next text.
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
		return now.Add(quiet) // the backlog has work to do, so flushing can wait
	}
	s.pass(agent.Event{Kind: flushMark})
	s.held = false
	return time.Time{}
}

func (s *eventStore) store(ev agent.Event) {
	s.summary.Add(ev)
	if s.log == nil {
		return
	}
	if err := s.log.Add(ev); err != nil {
		s.degrade(err.Error())
	}
}

// clockDrift limits the difference between an agent's time and ours at which the agent's
// counts.
const clockDrift = 5 * time.Second

// timeOf returns when an event happened, by the agent's clock or else by ours.
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

// withSights adds to a tool's event the time, and the current state of the files that the call
// names.
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
		ev.Seen = toolcalls.Look(s.deps.Dir, s.writing[ev.Call])
	}
	if ev.Kind == agent.ToolEnded {
		delete(s.writing, ev.Call)
	}
	return ev
}

// withoutSecrets removes names that hold a secret, or that are a secret in their context, and
// redacts the text that people see.
func (s *eventStore) withoutSecrets(ev agent.Event) agent.Event {
	var around string
	if len(ev.Names) > 0 {
		ev.NamesIn = agent.ClipBytes(ev.NamesIn, agent.MaxMessage)
		around = s.deps.Redact(ev.NamesIn)
	}
	secret := func(name string) bool {
		word := strings.TrimPrefix(name, toolcalls.Anywhere)
		return strings.Contains(ev.NamesIn, word) && !strings.Contains(around, word) || s.deps.Redact(name) != name
	}
	for i, c := range ev.Checks {
		ev.Checks[i].Name, ev.Checks[i].Dir = s.deps.Redact(c.Name), s.deps.Redact(c.Dir)
	}
	ev.Names, ev.Detail = slices.DeleteFunc(ev.Names, secret), detailWithoutSecrets(s.deps.Redact, ev.Detail)
	if _, on := s.writing[ev.Call]; on { // they are looked at again when the call ends
		s.writing[ev.Call] = slices.Concat(ev.Paths, ev.Names)
	}
	ev.Seen = slices.DeleteFunc(ev.Seen, func(seen toolcalls.FileState) bool { return !slices.Contains(ev.Paths, seen.Path) && secret(seen.Path) })
	return ev
}

// close waits until all events are stored, then stores the end of the text beyond the limit and
// ends the log. It returns remarks about missing text. When hurry is closed, it drops the text
// that is not redacted yet.
func (s *eventStore) close(hurry <-chan struct{}) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	var remarks []string
	if dropped := s.finishBacklog(hurry); dropped > 0 {
		remarks = append(remarks, fmt.Sprintf("%d KB that the agent said last are not kept: they were not redacted yet when the run was ended", (dropped+1023)>>10))
	}
	if s.over.Total > 0 {
		s.said.Emit(s.over.Redacted(s.deps.Redact))
		s.take(agent.Event{Kind: agent.Said, Time: s.timeOf(agent.Event{})})
		remarks = append(remarks, fmt.Sprintf("the agent said %d MB more than is kept; memories were looked for in the first %d MB and the end",
			s.over.Total>>20, maxSaid>>20))
	}
	if s.log == nil {
		return remarks
	}
	if s.log.Dropped > 0 {
		remarks = append(remarks, fmt.Sprintf("%d events are not in the run's log, which is full", s.log.Dropped))
	}
	if err := s.log.Close(); err != nil {
		s.degrade(err.Error())
	}
	return remarks
}

// storeBehind sends later events through a backlog. The caller calls it before any other
// method.
func (s *eventStore) storeBehind() {
	s.behind = newBacklog(s.take)
	s.said.Waits = s.behind.waits
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
