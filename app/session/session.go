// Package session remembers interactive sessions: it answers the hooks of agents, and finishes sessions that were
// cut short.
//
// Hook answers one event of a session. It records first that the event was received, so the first segment
// begins there even if later hooks and workers are killed. The start of a session gets lasting facts, recent notes
// and recent work (Start). A prompt gets hits that the session was not shown, within session.deadline
// (PartFor). A late answer is counted and is not a failure. A session reports only failures that its user can
// repair. Status lists the others.
//
// Work does the remaining work in a process that outlives the hook and the agent: under the lock of the
// session it reads the agent's transcript and finishes segments that are due. If a killed process left an open
// segment that the state of the session does not name, that segment is continued.
//
// RecoverRuns finishes killed runs, and sessions that ended without a hook. Most commands call it when they open
// memory. A session has ended if the agent's process is gone, or if it was idle for half an hour. A process id
// counts only in its container and boot. A session in a main work tree that was moved is finished at the new path,
// at once if no turn is in progress, because its hooks name the old path. A linked work tree is found at the path to
// which git moved it.
package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentflow/app"
	"agentflow/app/indexes"
	"agentflow/app/lookup"
	"agentflow/app/propose"
	"agentflow/app/worktree"
	"agentflow/executor"
	"agentflow/executor/agent"
	"agentflow/executor/agent/claude"
	"agentflow/executor/agent/codex"
	"agentflow/executor/runfolder"
	"agentflow/executor/turns"
	"agentflow/internal/ask"
	"agentflow/internal/config"
	"agentflow/internal/extract"
	"agentflow/internal/lists"
	"agentflow/internal/proc"
	"agentflow/memory"
	"agentflow/memory/quote"
)

// Moment is the moment of a session that a hook reports.
type Moment = turns.Moment

// The moments of a session.
const (
	SessionStarted  = turns.Started
	SessionAsked    = turns.Asked
	SessionStopped  = turns.Stopped
	SessionFailed   = turns.Failed
	SessionCompacts = turns.Compacts
	Compacted       = turns.Compacted
	SessionEnded    = turns.Ended
	SessionBeside   = turns.Beside
)

// Event is the input of an agent's hook.
type Event struct {
	Agent      string // claude or codex
	Session    string // the agent's id of the session
	Transcript string // the agent's own file of it; absolute
	Moment     Moment
	At         time.Time // when the hook began
	Prompt     string    // the user's prompt, of SessionAsked
	Said       string    // the agent's last message, of SessionStopped
	EnvFile    string    // the file of shell lines that the agent runs before its commands; empty: it has none
	PID        int       // of the agent's process; 0: not known. Hook finds it
	PIDBegan   string    // distinguishes that process from a later one with the same id
	Trace      int64     // how long git's trace of the session was then, in bytes. Hook finds it
	Trouble    []string  // what did not work in the hook, a line each
	Slow       bool      // the hook was not done in time, so the agent got no answer
	Forgot     bool      // of SessionStarted: the agent lost its context, as after a compaction
	Tools      bool      // of SessionStarted: the agent has the tools of memory
	Watch      bool      // of Work: only keep git's trace small during the turn. Hook sets it
}

// HookResult is the answer of a hook to its agent, and the remaining work.
type HookResult struct {
	Context string // memory for the agent; empty: none
	Message string // for the user; empty: none
	// Work asks for Work with this event, in a process that outlives the
	// hook; nil: nothing is left to do.
	Work *Event
	// Watch is like Work, for a process that lasts as long as the turn.
	Watch    *Event
	Degraded []string
}

// Hook does the work for which an agent waits in its hook. It does nothing
// if sessions are not remembered, within a run, and within AgentFlow's own questions.
// The caller may stop waiting at any time: nothing is lost when Hook
// is killed.
func Hook(ctx context.Context, m *app.Memory, ev Event) (res HookResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&res.Degraded, &err)
	s, err := openSession(ctx, o, ev)
	if err != nil || s == nil {
		return res, err
	}
	first := s.isFirst()
	s.note(s.markSeen(ev.Agent))
	if err := s.storeEvent(); err != nil {
		return res, workingFor(ev, err)
	}
	work := ev.Moment.Works()
	switch ev.Moment {
	case turns.Started:
		err = s.started(ctx, first, &res)
	case turns.Asked:
		s.typed(ctx, m, &res)
		work, err = s.asked(ctx, &res)
	}
	if ev.Moment == turns.Asked || ev.Moment == turns.Stopped {
		lines := append(lists.Mapped(s.folder.Told(), quote.Line), res.Message)
		res.Message = strings.Join(slices.DeleteFunc(lines, func(l string) bool { return l == "" }), "\n")
	}
	if work {
		ev.PID, ev.PIDBegan = proc.Caller()
		ev.Trace = s.folder.TraceSize()
		res.Work = &ev
	}
	if s.watchesTrace() {
		watch := ev
		watch.PID, watch.PIDBegan = proc.Caller()
		watch.Watch, watch.Prompt = true, ""
		res.Watch = &watch
	}
	return res, workingFor(ev, err)
}

// sessionMemory is the memory of the place that a session works in.
type sessionMemory struct {
	Repo   *app.Repo
	ev     Event
	folder turns.Folder
}

// openSession opens the memory for an event of a session, or returns nil if the session is
// not to be remembered.
func openSession(ctx context.Context, o *app.Operation, ev Event) (*sessionMemory, error) {
	if ask.Inside(o.Environ) || proc.Variable(o.Environ, proc.TagVar) != "" {
		return nil, nil
	}
	place, dirs, err := o.Place()
	if errors.Is(err, config.ErrNoPlace) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	settings, err := o.Load(place, dirs)
	if err != nil {
		return nil, err
	}
	if _, off := settings.MemoryOff(); off || !settings.Session.Remembers(cmp.Or(place.Worktree, place.Root), dirs.Home) {
		return nil, nil
	}
	s, err := o.Assemble(ctx, place, dirs, settings)
	if err != nil {
		return nil, err
	}
	folder, err := turns.At(app.SessionsFolder(s), ev.Agent, ev.Session)
	return &sessionMemory{Repo: s, ev: ev, folder: folder}, err
}

// storeEvent stores the event before any other work is done, so that a killed hook or a
// killed worker loses no turn.
func (s *sessionMemory) storeEvent() error {
	if err := s.folder.Make(); err != nil {
		return err
	}
	if err := errors.Join(s.folder.MarkOpen(), s.folder.Hear(s.eventState()), s.Repo.Note()); err != nil {
		s.trouble(err.Error())
	}
	return nil
}

// eventState returns what the event says about the session.
func (s *sessionMemory) eventState() turns.Heard {
	ev := s.ev
	begins := ev.Moment == turns.Started && !ev.Forgot
	return turns.Heard{
		Agent: ev.Agent, Session: ev.Session, Transcript: ev.Transcript, WorkTree: s.Repo.Worktree, MainTree: worktree.IsMainTree(s.Repo),
		Moment: ev.Moment, At: ev.At, Amid: !begins && ev.Moment != turns.Asked,
	}
}

// state loads the state of the session, or returns a new one if none is stored. The
// caller holds the lock of the session.
func (s *sessionMemory) state() (turns.State, error) {
	st, err := s.folder.Load()
	if errors.Is(err, fs.ErrNotExist) {
		st, _ = s.folder.Known()
		err = nil
	}
	if err != nil { // damaged: the segment is found by its journal
		s.note(err)
		st.TraceEnd = s.folder.TraceSize()
	}
	st.Agent, st.Session = s.ev.Agent, s.ev.Session
	if s.ev.Moment != turns.Left {
		st.WorkTree, st.MainTree = s.Repo.Worktree, worktree.IsMainTree(s.Repo)
	}
	st.Transcript = cmp.Or(s.ev.Transcript, st.Transcript)
	if open := s.openSegment(); open != "" && open != st.Segment {
		// The process that began the segment was killed before it saved the state. The
		// state is saved before the segment ends. Otherwise the next segment would begin
		// after the previous one.
		st.Segment, st.Acked = open, 0
		if err := errors.Join(s.folder.BeginPart(open, s.ev.At), s.folder.Save(st)); err != nil {
			return st, err
		}
	}
	return st, nil
}

// openSegment returns the id of the session's open segment, or empty if there
// is none.
func (s *sessionMemory) openSegment() (id string) {
	for _, open := range executor.OpenSegments(s.Repo.Runs()) {
		if open.Agent == s.ev.Agent && open.Session == s.ev.Session {
			id = open.ID
		}
	}
	return id
}

// Transcribers are the agents with session files that can be read.
var Transcribers = map[string]func() agent.Agent{
	"claude": func() agent.Agent { return claude.New() },
	"codex":  func() agent.Agent { return codex.New() },
}

// transcriptOf makes a decoder for an agent's own file of a session.
func transcriptOf(name string) agent.Decoder {
	if make, known := Transcribers[name]; known {
		if t, ok := make().(agent.Transcriber); ok {
			return t.Transcript()
		}
	}
	return nil
}

// Deps returns the dependencies of session segments.
func Deps(ctx context.Context, s *app.Repo) executor.Deps {
	return executor.Deps{
		Record: propose.Recorder{Mem: s}, Work: worktree.Workspace(ctx, s), Redact: s.Redact.Text, Extract: extract.Tagged, Plain: extract.WithoutTags,
		RunsDir: s.Runs(), WorkTree: s.Worktree, MainTree: worktree.IsMainTree(s), Home: s.Dirs.Home, Dir: s.Dir, WorkAt: func(ctx context.Context, workTree string, isMain bool) executor.Workspace {
			return worktree.WorkspaceAt(ctx, s, workTree, isMain)
		}, Env: s.Environ, Ignore: func(path string) bool { return indexes.Ignored(s, path) }, Transcript: transcriptOf,
		Held: func(ctx context.Context, items []runfolder.RecalledItem) []string {
			return lookup.GivenTexts(ctx, s, items)
		},
	}
}

// SeenFile returns the file that has the time of an agent's last hook as its modification time.
func SeenFile(dirs config.Dirs, agentName string) string {
	return filepath.Join(dirs.State, "sessions", agentName+".seen")
}

// markSeen notes that a hook of an agent came, for doctor.
func (s *sessionMemory) markSeen(agentName string) error {
	if s.Repo.Dirs.State == "" {
		return nil
	}
	return touch(SeenFile(s.Repo.Dirs, agentName), s.ev.At)
}

// isFirst reports whether this is the first session of the agent since it was connected, or the first in this
// repository.
func (s *sessionMemory) isFirst() bool {
	_, agent := os.Stat(SeenFile(s.Repo.Dirs, s.ev.Agent))
	_, here := os.Stat(app.SessionsFolder(s.Repo))
	return errors.Is(cmp.Or(agent, here), fs.ErrNotExist)
}

// workingFor adds the session to an error.
func workingFor(ev Event, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("remembering session %s of %s: %w", memory.ShortID(ev.Session), ev.Agent, err)
}
