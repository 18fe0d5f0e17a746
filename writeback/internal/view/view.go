package view

import (
	"context"
	"slices"

	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/items"
	"agentflow/writeback/internal/journal"
)

// View is the state of memory according to the log: its records, replayed in order.
type View struct {
	Files      texts              // last known contents of each memory file
	Pending    []Pending          // logged, not yet done, oldest first
	Tombs      map[string]bool    // tombstones
	Lost       map[string]Lost    // by id: vanished or forgotten, with their text
	AppendedAt map[string]int64   // by id: mtime of its file after it was appended, ns
	removedAt  map[string]int64   // when it was removed from its file by forget, ns; by id
	moves      []moved            // files of changes, oldest first
	Written    map[string]written // who wrote files of notes, by file
	Damaged    []string           // lines that could not be read
}

// Pending is a record of the log that is not done yet.
type Pending struct {
	journal.Record
	At int64 // offset of its line in the log
}

// New returns the state of an empty log.
func New() *View {
	v := &View{Tombs: map[string]bool{}, Lost: map[string]Lost{}, AppendedAt: map[string]int64{}, removedAt: map[string]int64{}, Written: map[string]written{}}
	v.Files = texts{Of: map[string]text{}, tell: func(line string) { v.Damaged = append(v.Damaged, line) }}
	return v
}

// setTombstones puts a tombstone on an id and on everything that its text holds.
func (v *View) setTombstones(id string, text []byte) {
	v.Tombs[items.Tombstone(id)] = true
	for _, inner := range items.IdsIn(text) {
		v.Tombs[items.Tombstone(inner)] = true
	}
}

// liftTombstones removes these tombstones.
func (v *View) liftTombstones(id string, text []byte) {
	delete(v.Tombs, items.Tombstone(id))
	for _, inner := range items.IdsIn(text) {
		delete(v.Tombs, items.Tombstone(inner))
	}
}

// Apply replays one record, whose offset in the log is at.
func (v *View) Apply(r journal.Record, at int64) {
	switch r.Op {
	case journal.OpEntry, journal.OpPin, journal.OpUnpin, journal.OpChange:
		v.await(r, at)
	case journal.OpRestore:
		v.liftTombstones(r.ID, r.Text)
		delete(v.Lost, r.ID)
		v.await(r, at)
	case journal.OpForget:
		v.setTombstones(r.ID, r.Text)
		v.Lost[r.ID] = Lost{items.Ref{ID: r.ID, Title: r.Title, File: r.File}, r.Text, true, ""}
		v.await(r, at)
	case journal.OpPurge:
		if items.IsWhole(r.ID) { // another file may get its name
			v.forgetWhole(r.ID)
		} else {
			v.Tombs[items.Tombstone(r.ID)] = true
			delete(v.Lost, r.ID)
		}
		v.await(r, at)
	case journal.OpDone:
		v.done(r)
	case journal.OpFile:
		if !r.Kept && memory.InNotes(r.File) { // not from a checkpoint: see OpWritten
			v.wrote(r.File, v.Files.Get(r.File), r.Text, nil)
		}
		if v.Files.set(r.File, r.Text); r.Text == nil {
			v.Files.set(r.File, []byte{}) // an empty file exists; nil means that there is none
		}
	case journal.OpNoFile:
		v.Files.drop(r.File)
	case journal.OpLost:
		v.Lost[r.ID] = Lost{items.Ref{ID: r.ID, Title: r.Title, File: r.File}, r.Text, r.Forgot, r.By}
	case journal.OpFound:
		delete(v.Lost, r.ID)
	case journal.OpTomb:
		v.Tombs[r.Hash] = true
	case journal.OpWritten:
		v.readWritten(r)
	}
}

// await adds r to the pending records, once.
func (v *View) await(r journal.Record, at int64) {
	if v.Find(r.Op, r.ID) < 0 {
		v.Pending = append(v.Pending, Pending{r, at})
	}
}

func (v *View) done(r journal.Record) {
	if r.Of == journal.OpEntry || r.Of == journal.OpRestore {
		v.AppendedAt[r.ID] = r.Stamp
	}
	i := v.Find(r.Of, r.ID)
	if r.Of == journal.OpForget {
		var text []byte // not in a checkpoint, which lists all removed ids
		if i >= 0 {
			text = v.Pending[i].Text
		}
		v.noteRemoval(r.ID, text, r.Stamp)
	}
	if i < 0 {
		return
	}
	p := v.Pending[i]
	v.Pending = slices.Delete(v.Pending, i, i+1)
	if r.Of == journal.OpChange && !r.Kept {
		v.changed(p.Record, r.Stamp)
	}
	if r.Of != journal.OpEntry && r.Of != journal.OpRestore {
		return
	}
	if !r.Kept {
		for _, id := range append(markdown.Parse(p.Text).IDs(), p.ID) { // an editor's stale buffer had left it out
			if !v.Lost[id].Forgotten {
				delete(v.Lost, id)
			}
		}
		text := v.Files.Get(p.File)
		text = append(text, items.Separator(text, p.File, p.Text)...)
		v.Files.set(p.File, append(text, p.Text...))
	}
}

// Find returns the index of a pending record, or -1.
func (v *View) Find(o journal.Op, id string) int {
	return slices.IndexFunc(v.Pending, func(p Pending) bool { return p.Op == o && p.ID == id })
}

// Load replays a log and its checkpoint, and returns the position it reached.
func (v *View) Load(ctx context.Context, l journal.Log) (journal.Position, error) {
	data, err := l.Read(ctx)
	if err != nil {
		return journal.Position{}, err
	}
	return v.ReplayLog(l, data)
}

// ReplayLog is load for contents of the log that were already read.
func (v *View) ReplayLog(l journal.Log, data []byte) (journal.Position, error) {
	pos, damage, err := l.Replay(data, v.Apply, v.Files.store)
	v.Damaged = append(v.Damaged, damage...)
	return pos, err
}

// BatchFor returns the pending records that append to a file.
func (v *View) BatchFor(name string) []journal.Record {
	var batch []journal.Record
	for _, p := range v.Pending {
		if p.File == name && (p.Op == journal.OpEntry || p.Op == journal.OpRestore) {
			batch = append(batch, p.Record)
		}
	}
	return batch
}
