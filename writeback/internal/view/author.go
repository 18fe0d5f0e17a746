package view

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"agentflow/memory"
	"agentflow/writeback/internal/journal"
)

// Author is an agent that wrote a file below memory.NotesFolder.
type Author struct {
	Agent   string    `json:"agent,omitempty"`   // as it names itself; empty: unknown
	Session string    `json:"session,omitempty"` // id of its session; empty: unknown
	Run     string    `json:"run,omitempty"`     // id of the run that it worked for; empty: none
	At      time.Time `json:"at"`                // when it wrote
}

// ErrByHand reports that a change by an agent would remove a line that a person wrote.
var ErrByHand = errors.New("a person wrote it")

// HandError names the line that a person wrote. It matches ErrByHand.
type HandError struct {
	File string // relative to the memory folder
	Line int    // counted from 1
}

// Error names the line.
func (e *HandError) Error() string {
	return fmt.Sprintf("line %d of %s: %v", e.Line, e.File, ErrByHand)
}

// Unwrap returns ErrByHand.
func (e *HandError) Unwrap() error { return ErrByHand }

// written records who wrote a file of notes, according to the log. A line that no agent's change
// added is a person's.
type written struct {
	Author *Author  `json:"author,omitempty"` // the agent that changed it last; nil: no agent did
	Hand   []string `json:"hand,omitempty"`   // lineHash of the lines that a person wrote, sorted
}

// lineHash returns the hash that identifies a line, and "" for a blank line.
func lineHash(line []byte) string {
	if line = bytes.TrimSpace(line); len(line) == 0 {
		return ""
	}
	sum := sha256.Sum256(line)
	return hex.EncodeToString(sum[:8])
}

func lineHashes(text []byte) map[string]bool {
	hashes := map[string]bool{}
	for line := range bytes.Lines(text) {
		if hash := lineHash(line); hash != "" {
			hashes[hash] = true
		}
	}
	return hashes
}

// wrote replays a change of a file from before to after. by is the agent that made it. If by is
// nil, a person did, and the new lines are theirs.
func (v *View) wrote(name string, before, after []byte, by *Author) {
	if !memory.InNotes(name) {
		return
	}
	was, now := lineHashes(before), lineHashes(after)
	w := v.Written[name]
	hand := map[string]bool{}
	for _, hash := range w.Hand {
		hand[hash] = now[hash]
	}
	if by == nil {
		for hash := range now {
			hand[hash] = hand[hash] || !was[hash]
		}
	} else {
		w.Author = by
	}
	maps.DeleteFunc(hand, func(_ string, stands bool) bool { return !stands })
	w.Hand = slices.Sorted(maps.Keys(hand))
	v.Written[name] = w
}

// changeWrote replays who wrote the files of a change. If a file moves, the lines that a person
// wrote stay theirs, and so do those that an undo brings back.
func (v *View) changeWrote(c Change) {
	for _, e := range c.Edits {
		from, moves := movedFrom(e, c.Edits, &v.Files)
		switch {
		case e.After == nil: // its authors count again when it comes back
		case moves:
			v.Written[e.File] = v.Written[from]
			v.wrote(e.File, e.After, e.After, c.By)
		case c.By == nil && c.Undoes != "":
			v.wrote(e.File, e.After, e.After, nil)
		case memory.InNotes(e.File):
			v.wrote(e.File, v.Files.Get(e.File), e.After, c.By)
		}
	}
}

// movedFrom returns the file that a change moves to the new file of an edit: the same change
// deletes it, and its text is that of the new file. before holds the files before the change.
func movedFrom(e ChangedFile, edits []ChangedFile, before *texts) (from string, moves bool) {
	if _, there := before.Of[e.File]; there || e.After == nil {
		return "", false
	}
	for _, other := range edits {
		if other.After == nil && bytes.Equal(before.Get(other.File), e.After) {
			return other.File, true
		}
	}
	return "", false
}

// MayWrite returns an error that matches ErrByHand if edits of an agent remove a line that a
// person wrote. The View must be full.
func (v *View) MayWrite(by *Author, edits []memory.FileEdit) error {
	if by == nil {
		return nil
	}
	kept := map[string]bool{}
	for _, e := range edits {
		if e.Before == nil {
			kept[string(e.After)] = true
		}
	}
	for _, e := range edits {
		if e.Before == nil || e.After == nil && kept[string(e.Before)] {
			continue // it is new, or it moves
		}
		hand, now, n := v.Written[e.File].Hand, lineHashes(e.After), 0
		for line := range bytes.Lines(e.Before) {
			n++
			if hash := lineHash(line); hash != "" && !now[hash] && slices.Contains(hand, hash) {
				return &HandError{e.File, n}
			}
		}
	}
	return nil
}

// writtenRecords adds to a checkpoint who wrote the files that exist or could be restored.
func (v *View) writtenRecords(w *journal.Writer) {
	files := map[string]bool{}
	for _, name := range v.Files.Names() {
		files[name] = true
	}
	for _, l := range v.Lost {
		files[l.File] = true
	}
	for _, name := range slices.Sorted(maps.Keys(v.Written)) {
		if !files[name] {
			continue
		}
		text, err := json.Marshal(v.Written[name])
		if err != nil {
			panic("writeback: plain strings have no JSON: " + err.Error())
		}
		w.Add(journal.Record{Op: journal.OpWritten, File: name, Text: text})
	}
}

// readWritten replays a record of writtenRecords.
func (v *View) readWritten(r journal.Record) {
	var w written
	if err := json.Unmarshal(r.Text, &w); err != nil {
		v.Damaged = append(v.Damaged, fmt.Sprintf("reading who wrote %s: %v", r.File, err))
		return
	}
	v.Written[r.File] = w
}
