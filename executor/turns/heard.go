package turns

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"agentflow/internal/atomicfile"
	"agentflow/internal/safefile"
)

// Heard is the first event of a session since it began, or since it was resumed. Once it is
// stored, the later turns of the session become entries, even if all hooks and workers are
// killed.
type Heard struct {
	Agent      string    `json:"agent"`
	Session    string    `json:"session"`
	Transcript string    `json:"transcript"`
	WorkTree   string    `json:"work_tree"`
	MainTree   bool      `json:"main_tree,omitempty"` // it is the repository's main work tree
	Moment     Moment    `json:"moment"`
	At         time.Time `json:"at"`
	// Amid says that the session had earlier turns, from which no hook arrived.
	Amid bool `json:"amid,omitempty"`
}

// Hear notes an event of a session, unless an earlier one is noted.
func (f Folder) Hear(h Heard) error {
	name := f.file("heard.json")
	if _, err := os.Lstat(name); err == nil {
		return nil
	}
	data, err := json.Marshal(h)
	if err == nil {
		err = atomicfile.WriteHere(name, data, 0o600)
	}
	if err != nil {
		return fmt.Errorf("note an event of a session: %w", err)
	}
	return nil
}

// Heard returns the first event of the session. It returns false if there is none.
func (f Folder) Heard() (h Heard, known bool) {
	data, err := safefile.Read(f.file("heard.json"), safefile.NoLink, maxState)
	if err == nil {
		err = json.Unmarshal(data, &h)
	}
	return h, err == nil
}

// Unhear forgets the event if it happened by the given time, when a session is over.
func (f Folder) Unhear(until time.Time) error {
	if h, known := f.Heard(); known && h.At.After(until) {
		return nil
	}
	if err := os.Remove(f.file("heard.json")); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Known returns the session's state, or the part of it that its hooks noted before a worker
// wrote one.
func (f Folder) Known() (State, error) {
	st, err := f.Load()
	if err == nil {
		return st, nil
	}
	h, heard := f.Heard()
	if !heard {
		return st, err
	}
	return State{Agent: h.Agent, Session: h.Session, Transcript: h.Transcript, WorkTree: h.WorkTree, MainTree: h.MainTree}, nil
}
