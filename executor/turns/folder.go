// Package turns keeps what belongs to one session of an agent as a whole, beside
// its segments: whose it is, which segment is open, what memory it was shown, and
// what is to be told to its user. It also decides when a segment is due to become an
// entry.
//
// Guarantees: hooks and workers of one session may run at once; a file is there
// whole or not at all, and lists grow by whole lines. Nothing here holds text of
// the user's or the agent's but what was redacted.
//
// Not guaranteed: with the folder a session loses what it was shown, and may see that again.
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

	"agentflow/executor"
	"agentflow/internal/atomicfile"
	"agentflow/internal/filelock"
	"agentflow/internal/repofile"
)

// Folder is the folder of one session.
type Folder struct{ dir string }

// sessionID is a name that may become part of a path.
var sessionID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$`) })

// At is the folder of an agent's session below dir. It need not exist.
func At(dir, agent, session string) (Folder, error) {
	if !sessionID().MatchString(agent) || !sessionID().MatchString(session) {
		return Folder{}, fmt.Errorf("session %q of %q: that is no id", session, agent)
	}
	return Folder{filepath.Join(dir, agent+"-"+session)}, nil
}

// Make makes the folder, for its owner alone. A link to one is refused.
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

// isFolder refuses a link in the place of the folder.
func (f Folder) isFolder() error {
	if info, err := os.Lstat(f.dir); err == nil && !info.IsDir() {
		return fmt.Errorf("%s is not a folder", f.dir)
	}
	return nil
}

// MakeTrace makes an empty trace: git would make that readable for all. It says
// that git traces for the agent's commands, so it comes after they were set to.
func (f Folder) MakeTrace() error {
	trace, err := f.open(filepath.Base(f.Trace()), 0)
	if err != nil {
		return fmt.Errorf("make the trace of a session: %w", err)
	}
	return trace.Close()
}

// Traced says whether git traces for the agent's commands.
func (f Folder) Traced() bool {
	info, err := os.Lstat(f.Trace())
	return err == nil && info.Mode().IsRegular()
}

// open opens a file for writing, with a flag such as os.O_APPEND. No link is
// followed, neither the file nor the folder.
func (f Folder) open(name string, flag int) (*os.File, error) {
	if err := f.isFolder(); err != nil {
		return nil, err
	}
	if info, err := os.Lstat(f.file(name)); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", f.file(name))
	}
	return os.OpenFile(f.file(name), os.O_CREATE|os.O_WRONLY|flag, 0o600)
}

// Holds says whether a file is in the folder.
func (f Folder) Holds(path string) bool { return filepath.Dir(path) == f.dir }

// Remove takes the folder away.
func (f Folder) Remove() error { return errors.Join(os.RemoveAll(f.dir), f.MarkOver()) }

// Trace is the file in which git logs the references that the session moves.
func (f Folder) Trace() string { return filepath.Join(f.dir, "refs.log") }

// EmptyTrace forgets what git traced, once the session is over. Git may write on.
func (f Folder) EmptyTrace() error {
	if !f.Traced() {
		return nil
	}
	return os.Truncate(f.Trace(), 0)
}

// TraceSize is how long the trace is, in bytes.
func (f Folder) TraceSize() int64 {
	info, err := os.Lstat(f.Trace())
	if err != nil {
		return 0
	}
	return info.Size()
}

// Lock waits for its turn to change the state, as long as the context lasts.
func (f Folder) Lock(ctx context.Context, wait time.Duration, now time.Time) (*filelock.Lock, error) {
	return filelock.Acquire(ctx, filepath.Join(f.dir, "lock"), filelock.Self("session", now), wait)
}

// WatchTrace waits for its turn to keep the trace small: one process does it.
func (f Folder) WatchTrace(ctx context.Context, wait time.Duration, now time.Time) (*filelock.Lock, error) {
	return filelock.Acquire(ctx, filepath.Join(f.dir, "trace.lock"), filelock.Self("trace", now), wait)
}

// State is a session between two hooks.
type State struct {
	Version    int       `json:"version"`
	Agent      string    `json:"agent"`
	Session    string    `json:"session"`
	Transcript string    `json:"transcript"`
	WorkTree   string    `json:"work_tree"`           // in which the agent works; empty: outside git
	MainTree   bool      `json:"main_tree,omitempty"` // it is the repository's main one
	Segment    string    `json:"segment,omitempty"`   // the id of the one that is open
	PID        int       `json:"pid,omitempty"`       // of the agent's process; 0: not known
	PIDBegan   string    `json:"pid_began,omitempty"`
	TraceEnd   int64     `json:"trace_end,omitempty"` // how much of the trace earlier segments cover, in bytes
	Until      time.Time `json:"until,omitzero"`      // what the session did is told up to then
	// Read is how far earlier segments read the agent's files.
	Read  *executor.Reading `json:"read,omitempty"`
	Acked int               `json:"acked,omitempty"` // facts of the open segment that the user was told of
	Ended time.Time         `json:"ended,omitzero"`  // when it said so
}

const stateVersion = 1

// maxState bounds the file of a State, in bytes.
const maxState = 1 << 20

// Load reads the state. One that is missing is fs.ErrNotExist.
func (f Folder) Load() (State, error) {
	var s State
	data, err := repofile.Read(f.file("session.json"), repofile.NoLink, maxState)
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

// BeginTurn notes that the user asked something at a time; the agent is at work
// from then on.
func (f Folder) BeginTurn(at time.Time) error {
	file, err := f.open("turn", 0)
	if err != nil {
		return fmt.Errorf("note that a turn begins: %w", err)
	}
	return errors.Join(file.Close(), os.Chtimes(file.Name(), at, at))
}

// EndTurn notes that the agent is done with what was asked before a time.
func (f Folder) EndTurn(at time.Time) error {
	if began, on := f.Turn(); on && began.After(at) {
		return nil
	}
	if err := os.Remove(f.file("turn")); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Turn says whether the agent is at work, and since when.
func (f Folder) Turn() (began time.Time, on bool) {
	info, err := os.Lstat(f.file("turn"))
	if err != nil {
		return time.Time{}, false
	}
	return info.ModTime(), true
}
