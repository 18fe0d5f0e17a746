// Package turns stores the data of one session of an agent apart from its segments: its
// identity, its open segment, the memory that it was shown, and the messages for its user. It
// also decides when a segment is due to become an entry.
//
// Guarantees: hooks and workers of one session may run at once. A file is complete or missing,
// and lists grow by complete lines. All text of the user or the agent is redacted.
//
// Not guaranteed: if the folder is lost, the session loses the list of items that it was shown,
// and may be shown them again.
//
// A session has a mark until it is over (MarkOpen), so a command reads only the marked
// sessions. Once a day it checks all of them (Sweep).
package turns

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"agentflow/executor/runfolder"
	"agentflow/internal/atomicfile"
	"agentflow/internal/filelock"
	"agentflow/internal/safefile"
)

// Folder is the folder of one session.
type Folder struct{ dir string }

// sessionID matches a name that is safe as part of a path.
var sessionID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$`) })

// At returns the folder of an agent's session below dir. It need not exist.
func At(dir, agent, session string) (Folder, error) {
	if !sessionID().MatchString(agent) || !sessionID().MatchString(session) {
		return Folder{}, fmt.Errorf("session %q of %q: that is no id", session, agent)
	}
	return Folder{filepath.Join(dir, agent+"-"+session)}, nil
}

// Make makes the folder, accessible only to its owner. It refuses a link to a folder.
func (f Folder) Make() error {
	err := os.MkdirAll(f.dir, 0o700)
	if err == nil {
		err = f.isFolder()
	}
	if err != nil {
		return fmt.Errorf("make the folder of a session: %w", err)
	}
	return nil
}

// isFolder returns an error if the folder's path is a link or a file.
func (f Folder) isFolder() error {
	if info, err := os.Lstat(f.dir); err == nil && !info.IsDir() {
		return fmt.Errorf("%s is not a folder", f.dir)
	}
	return nil
}

// MakeTrace makes an empty trace, because git would make one that all users can read. Its
// existence says that git traces for the agent's commands, so call it after tracing was set up.
func (f Folder) MakeTrace() error {
	trace, err := f.open(filepath.Base(f.Trace()), 0)
	if err != nil {
		return fmt.Errorf("make the trace of a session: %w", err)
	}
	return trace.Close()
}

// Traced reports whether git traces for the agent's commands.
func (f Folder) Traced() bool {
	info, err := os.Lstat(f.Trace())
	return err == nil && info.Mode().IsRegular()
}

// open opens a file for writing, with a flag such as os.O_APPEND. It follows no link, neither
// for the file nor for the folder.
func (f Folder) open(name string, flag int) (*os.File, error) {
	if err := f.isFolder(); err != nil {
		return nil, err
	}
	if info, err := os.Lstat(f.file(name)); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", f.file(name))
	}
	return os.OpenFile(f.file(name), os.O_CREATE|os.O_WRONLY|flag, 0o600)
}

// Holds reports whether a file is in the folder.
func (f Folder) Holds(path string) bool { return filepath.Dir(path) == f.dir }

// Remove removes the folder and its mark.
func (f Folder) Remove() error { return errors.Join(os.RemoveAll(f.dir), f.MarkOver()) }

// Trace returns the file in which git logs the references that the session moves.
func (f Folder) Trace() string { return filepath.Join(f.dir, "refs.log") }

// EmptyTrace empties git's trace, once the session is over. Git may still add to it.
func (f Folder) EmptyTrace() error {
	if !f.Traced() {
		return nil
	}
	return os.Truncate(f.Trace(), 0)
}

// TraceSize returns the size of the trace, in bytes.
func (f Folder) TraceSize() int64 {
	info, err := os.Lstat(f.Trace())
	if err != nil {
		return 0
	}
	return info.Size()
}

// Lock acquires the lock for changes of the state. It waits until ctx ends, but no longer than
// wait.
func (f Folder) Lock(ctx context.Context, wait time.Duration, now time.Time) (*filelock.Lock, error) {
	return filelock.Acquire(ctx, filepath.Join(f.dir, "lock"), filelock.Self("session", now), wait)
}

// WatchTrace acquires the lock for the one process that keeps the trace small, as Lock does.
func (f Folder) WatchTrace(ctx context.Context, wait time.Duration, now time.Time) (*filelock.Lock, error) {
	return filelock.Acquire(ctx, filepath.Join(f.dir, "trace.lock"), filelock.Self("trace", now), wait)
}

// State is the state of a session between two hooks.
type State struct {
	Version    int       `json:"version"`
	Agent      string    `json:"agent"`
	Session    string    `json:"session"`
	Transcript string    `json:"transcript"`
	WorkTree   string    `json:"work_tree"`           // in which the agent works; empty: outside git
	MainTree   bool      `json:"main_tree,omitempty"` // it is the repository's main work tree
	Segment    string    `json:"segment,omitempty"`   // the id of the open segment
	PID        int       `json:"pid,omitempty"`       // of the agent's process; 0: unknown
	PIDBegan   string    `json:"pid_began,omitempty"`
	TraceEnd   int64     `json:"trace_end,omitempty"` // the size of the part of the trace that earlier segments cover, in bytes
	Until      time.Time `json:"until,omitzero"`      // the time up to which entries or segments cover the session
	// Read is how far earlier segments read the agent's files.
	Read  *runfolder.Reading `json:"read,omitempty"`
	Acked int                `json:"acked,omitempty"` // facts of the open segment that the user was informed about
	Ended time.Time          `json:"ended,omitzero"`  // when a hook reported the end
}

const stateVersion = 1

// maxState limits the file of a State, in bytes.
const maxState = 1 << 20

// Load reads the state. The error for a missing one matches fs.ErrNotExist.
func (f Folder) Load() (State, error) {
	var s State
	data, err := safefile.Read(f.file("session.json"), safefile.NoLink, maxState)
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	if err == nil && s.Version != stateVersion {
		err = fmt.Errorf("version %d, and this program reads %d", s.Version, stateVersion)
	}
	if err != nil {
		return State{}, fmt.Errorf("read the state of a session: %w", err)
	}
	return s, nil
}

// Save writes the state.
func (f Folder) Save(s State) error {
	s.Version = stateVersion
	data, err := json.Marshal(s)
	if err == nil {
		err = atomicfile.WriteHere(f.file("session.json"), data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("write the state of a session: %w", err)
	}
	return nil
}

func (f Folder) file(name string) string { return filepath.Join(f.dir, name) }

// BeginTurn notes that the user sent a prompt at a time. From then on the agent is at work.
func (f Folder) BeginTurn(at time.Time) error {
	file, err := f.open("turn", 0)
	if err != nil {
		return fmt.Errorf("note that a turn begins: %w", err)
	}
	return errors.Join(file.Close(), os.Chtimes(file.Name(), at, at))
}

// EndTurn notes that the agent has finished the turns that began before a time.
func (f Folder) EndTurn(at time.Time) error {
	if began, on := f.Turn(); on && began.After(at) {
		return nil
	}
	if err := os.Remove(f.file("turn")); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Turn reports whether the agent is at work, and since when.
func (f Folder) Turn() (began time.Time, on bool) {
	info, err := os.Lstat(f.file("turn"))
	if err != nil {
		return time.Time{}, false
	}
	return info.ModTime(), true
}
