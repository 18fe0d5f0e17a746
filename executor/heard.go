package executor

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"agentflow/executor/agent"

	"agentflow/internal/repofile"

	"github.com/google/uuid"
)

// Heard is what a run's agent was given and what it said, redacted.
type Heard struct {
	Task   string
	Prompt string   // with all that stood around the task
	Said   []string // its messages, oldest first; of many the last maxHeard bytes
}

// maxHeard bounds the messages that are read back, in bytes.
const maxHeard = 1 << 20

// ReadHeard reads what was said in the run with this id from its folder. It is
// ErrNoFolder when that, or a part of it, is not there any more.
func ReadHeard(runsDir, id string) (Heard, error) {
	if uuid.Validate(id) != nil {
		return Heard{}, fmt.Errorf("reading what was said in run %q: %w", id, ErrNoFolder)
	}
	h, err := readHeard(filepath.Join(runsDir, id))
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrNoFolder
	}
	if err != nil {
		return Heard{}, fmt.Errorf("reading what was said in run %s: %w", id, err)
	}
	return h, nil
}

func readHeard(dir string) (Heard, error) {
	j, err := readJournal(dir)
	if err != nil {
		return Heard{}, err
	}
	prompt, err := repofile.Read(filepath.Join(dir, promptFile), repofile.NoLink, maxJournal)
	if err != nil {
		return Heard{}, err
	}
	f, err := repofile.Open(filepath.Join(dir, eventsFile), repofile.NoLink)
	if err != nil {
		return Heard{}, err
	}
	defer f.Close()
	e := ear{}
	if _, err := readEvents(f, e.hear); err != nil {
		return Heard{}, err
	}
	e.end()
	return Heard{Task: j.Task, Prompt: string(prompt), Said: e.said}, nil
}

// ear puts messages together from events.
type ear struct {
	said    []string
	bytes   int
	message []byte
}

func (e *ear) hear(ev agent.Event) {
	if ev.Kind != agent.Said {
		return
	}
	e.message = append(e.message, ev.Text...)
	if over := len(e.message) - maxHeard; over > 0 {
		e.message = e.message[over:]
	}
	if !ev.More {
		e.end()
	}
}

// end takes the message that goes on for whole, and lets the oldest go.
func (e *ear) end() {
	if len(e.message) == 0 {
		return
	}
	e.said = append(e.said, string(e.message))
	e.bytes += len(e.message)
	e.message = e.message[:0]
	for e.bytes > maxHeard && len(e.said) > 1 {
		e.bytes -= len(e.said[0])
		e.said = e.said[1:]
	}
}
