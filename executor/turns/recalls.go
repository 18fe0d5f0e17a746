package turns

import (
	"bytes"
	"encoding/json"
	"os"
	"time"

	"agentflow/internal/safefile"
)

// Recall describes the search of memory for one prompt.
type Recall struct {
	At   time.Time `json:"at"`
	Slow bool      `json:"slow,omitempty"` // it exceeded its time limit, so the prompt got less or nothing
}

const recallsFile = "recalls.jsonl"

// NoteRecall counts the search of memory for a prompt.
func (f Folder) NoteRecall(r Recall) error { return f.addLine(recallsFile, r) }

// Recalls counts the searches for prompts of the sessions below dir since a time, and how
// many of them were slow.
func Recalls(dir string, since time.Time) (all, slow int) {
	for _, f := range All(dir) {
		if info, err := os.Lstat(f.file(recallsFile)); err != nil || info.ModTime().Before(since) {
			continue
		}
		data, _ := safefile.Read(f.file(recallsFile), safefile.NoLink, maxLines) // figures are not worth an error
		for line := range bytes.Lines(data) {
			var r Recall
			if json.Unmarshal(line, &r) != nil || r.At.Before(since) {
				continue
			}
			all++
			if r.Slow {
				slow++
			}
		}
	}
	return all, slow
}
