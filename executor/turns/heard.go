package turns

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"agentflow/internal/atomicfile"
	"agentflow/internal/repofile"
)

// Heard is the first that a session told of itself since it began, or since it
// went on. What its turns do from then on becomes entries, whichever hooks and
// workers are killed.
type Heard struct {
	Agent      string    `json:"agent"`
	Session    string    `json:"session"`
	Transcript string    `json:"transcript"`
	WorkTree   string    `json:"work_tree"`
	MainTree   bool      `json:"main_tree,omitempty"` // it is the repository's main one
	Moment     Moment    `json:"moment"`
	At         time.Time `json:"at"`
	// Amid says that turns came before, of which no hook was heard.
	Amid bool `json:"amid,omitempty"`
}

// Hear notes what a session told of itself, unless something was heard of it
// before.
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
		return fmt.Errorf("note what was heard of a session: %w", err)
	}
	return nil
}

// Heard is the first that the session told; false where nothing is known of it.
func (f Folder) Heard() (h Heard, known bool) {
	data, err := repofile.Read(f.file("heard.json"), repofile.NoLink, maxState)
	if err == nil {
		err = json.Unmarshal(data, &h)
	}
	return h, err == nil
}

// Unhear forgets what was heard until a time, when a session is over.
func (f Folder) Unhear(until time.Time) error {
	if h, known := f.Heard(); known && h.At.After(until) {
		return nil
	}
	if err := os.Remove(f.file("heard.json")); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Known is the session's state, or as much of it as its hooks have noted before
// a worker wrote one.
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
