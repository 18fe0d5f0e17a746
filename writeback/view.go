package writeback

import (
	"context"
	"slices"

	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/journal"
)

// view is the state of memory according to the log: its records, replayed in order.
type view struct {
	files      texts              // last known contents of each memory file
	pending    []pending          // logged, not yet done, oldest first
	tombs      map[string]bool    // tombstones
	lost       map[string]lost    // by id: vanished or forgotten, with their text
	appendedAt map[string]int64   // by id: mtime of its file after it was appended, ns
	removedAt  map[string]int64   // when it was removed from its file by forget, ns; by id
	moves      []moved            // files of changes, oldest first
	written    map[string]written // who wrote files of notes, by file
	damaged    []string           // lines that could not be read
}

type pending struct {
	journal.Record
	at int64 // offset of its line in the log
}

func newView() *view {
	v := &view{tombs: map[string]bool{}, lost: map[string]lost{}, appendedAt: map[string]int64{}, removedAt: map[string]int64{}, written: map[string]written{}}
	v.files = texts{of: map[string]text{}, tell: func(line string) { v.damaged = append(v.damaged, line) }}
	return v
}

// setTombstones puts a tombstone on an id and on everything that its text holds.
func (v *view) setTombstones(id string, text []byte) {
	v.tombs[tombstone(id)] = true
	for _, inner := range idsIn(text) {
		v.tombs[tombstone(inner)] = true
	}
}

// liftTombstones removes these tombstones.
func (v *view) liftTombstones(id string, text []byte) {
	delete(v.tombs, tombstone(id))
	for _, inner := range idsIn(text) {
		delete(v.tombs, tombstone(inner))
	}
}

// apply replays one record, whose offset in the log is at.
func (v *view) apply(r journal.Record, at int64) {
	switch r.Op {
	case journal.OpEntry, journal.OpPin, journal.OpUnpin, journal.OpChange:
		v.await(r, at)
	case journal.OpRestore:
		v.liftTombstones(r.ID, r.Text)
		delete(v.lost, r.ID)
		v.await(r, at)
	case journal.OpForget:
		v.setTombstones(r.ID, r.Text)
		v.lost[r.ID] = lost{Ref{ID: r.ID, Title: r.Title, File: r.File}, r.Text, true, ""}
		v.await(r, at)
	case journal.OpPurge:
		if isWholeFile(r.ID) { // another file may get its name
			v.forgetWhole(r.ID)
		} else {
			v.tombs[tombstone(r.ID)] = true
			delete(v.lost, r.ID)
		}
		v.await(r, at)
	case journal.OpDone:
		v.done(r)
	case journal.OpFile:
		if !r.Kept && memory.InNotes(r.File) { // not from a checkpoint: see OpWritten
			v.wrote(r.File, v.files.get(r.File), r.Text, nil)
		}
		if v.files.set(r.File, r.Text); r.Text == nil {
			v.files.set(r.File, []byte{}) // an empty file exists; nil means that there is none
		}
	case journal.OpNoFile:
		v.files.drop(r.File)
	case journal.OpLost:
		v.lost[r.ID] = lost{Ref{ID: r.ID, Title: r.Title, File: r.File}, r.Text, r.Forgot, r.By}
	case journal.OpFound:
		delete(v.lost, r.ID)
	case journal.OpTomb:
		v.tombs[r.Hash] = true
	case journal.OpWritten:
		v.readWritten(r)
	}
}

// await adds r to the pending records, once.
func (v *view) await(r journal.Record, at int64) {
	if v.find(r.Op, r.ID) < 0 {
		v.pending = append(v.pending, pending{r, at})
	}
}

func (v *view) done(r journal.Record) {
	if r.Of == journal.OpEntry || r.Of == journal.OpRestore {
		v.appendedAt[r.ID] = r.Stamp
	}
	i := v.find(r.Of, r.ID)
	if r.Of == journal.OpForget {
		var text []byte // not in a checkpoint, which lists all removed ids
		if i >= 0 {
			text = v.pending[i].Text
		}
		v.noteRemoval(r.ID, text, r.Stamp)
	}
	if i < 0 {
		return
	}
	p := v.pending[i]
	v.pending = slices.Delete(v.pending, i, i+1)
	if r.Of == journal.OpChange && !r.Kept {
		v.changed(p.Record, r.Stamp)
	}
	if r.Of != journal.OpEntry && r.Of != journal.OpRestore {
		return
	}
	if !r.Kept {
		for _, id := range append(markdown.Parse(p.Text).IDs(), p.ID) { // an editor's stale buffer had left it out
			if !v.lost[id].forgotten {
				delete(v.lost, id)
			}
		}
		text := v.files.get(p.File)
		text = append(text, separator(text, p.File, p.Text)...)
		v.files.set(p.File, append(text, p.Text...))
	}
}

func (v *view) find(o journal.Op, id string) int {
	return slices.IndexFunc(v.pending, func(p pending) bool { return p.Op == o && p.ID == id })
}

// load replays a log and its checkpoint, and returns the position it reached.
func (v *view) load(ctx context.Context, l journal.Log) (journal.Position, error) {
	data, err := l.Read(ctx)
	if err != nil {
		return journal.Position{}, err
	}
	return v.replayLog(l, data)
}

// replayLog is load for contents of the log that were already read.
func (v *view) replayLog(l journal.Log, data []byte) (journal.Position, error) {
	pos, damage, err := l.Replay(data, v.apply, v.files.store)
	v.damaged = append(v.damaged, damage...)
	return pos, err
}

func (v *view) batchFor(name string) []journal.Record {
	var batch []journal.Record
	for _, p := range v.pending {
		if p.File == name && (p.Op == journal.OpEntry || p.Op == journal.OpRestore) {
			batch = append(batch, p.Record)
		}
	}
	return batch
}
