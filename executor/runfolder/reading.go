package runfolder

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"maps"
	"slices"
	"time"

	"agentflow/executor/agent"
	"agentflow/internal/safefile"
)

// Reading records how far the agent's files of a session were read. An agent may
// truncate or replace a file. The file's mark shows that, and Last shows which of
// its events were read before.
type Reading struct {
	Files map[string]int64  `json:"files"`           // by path, in bytes
	Marks map[string]string `json:"marks,omitempty"` // by path: a hash of the bytes before that place
	Last  time.Time         `json:"last,omitzero"`   // of the latest event that was read
}

// Clone returns a copy that shares nothing with r.
func (r Reading) Clone() Reading {
	return Reading{maps.Clone(r.Files), maps.Clone(r.Marks), r.Last}
}

// Place returns the offset at which reading of a file continues. It is 0 if the file is not the
// one that was read before.
func (r Reading) Place(file string) (from int64, replaced bool) {
	from = r.Files[file]
	mark, err := markAt(file, from)
	if from == 0 || err == nil && (r.Marks[file] == "" || r.Marks[file] == mark) {
		return from, false
	}
	return 0, true
}

// News drops the events that were read before. Its argument is the events of a file that is
// read from its beginning.
func (r Reading) News(events []agent.Event) []agent.Event {
	if r.Last.IsZero() {
		return events
	}
	return slices.DeleteFunc(events, func(ev agent.Event) bool { return !ev.Time.After(r.Last) })
}

// Reached notes that a file was read up to an offset.
func (r *Reading) Reached(file string, at int64) {
	if r.Files == nil {
		r.Files = map[string]int64{}
	}
	if r.Marks == nil {
		r.Marks = map[string]string{}
	}
	r.Files[file] = at
	r.Marks[file], _ = markAt(file, at)
}

// Passed notes the time of the latest event that was read. It ignores events from the future,
// which come from a clock that was set back since: they would hide later events.
func (r *Reading) Passed(events []agent.Event, now time.Time) {
	for _, ev := range events {
		if ev.Time.After(r.Last) && !ev.Time.After(now) {
			r.Last = ev.Time
		}
	}
}

// markSize limits the bytes before a place in a file that are hashed to recognize it.
const markSize = 256

// markAt returns the hash of the markSize bytes before a place in a file, or of all bytes
// before it if there are fewer.
func markAt(file string, at int64) (string, error) {
	f, err := safefile.Open(file, safefile.AnyLink)
	if err != nil {
		return "", err
	}
	defer f.Close()
	size := min(at, markSize)
	data, err := io.ReadAll(io.NewSectionReader(f, at-size, size))
	if err == nil && int64(len(data)) < size {
		err = io.ErrUnexpectedEOF
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8]), err
}
