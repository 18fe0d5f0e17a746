package writeback

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"maps"
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

// lost is an entry or fact that Markdown no longer holds.
type lost struct {
	Ref
	text      []byte
	forgotten bool   // by forget; false: it vanished
	by        string // id of the change that forgot it; after an undo of an undo, the change that was first undone
}

func newView() *view {
	v := &view{tombs: map[string]bool{}, lost: map[string]lost{}, appendedAt: map[string]int64{}, removedAt: map[string]int64{}, written: map[string]written{}}
	v.files = texts{of: map[string]text{}, tell: func(line string) { v.damaged = append(v.damaged, line) }}
	return v
}

// tombstone returns the hash that remains of a forgotten id.
func tombstone(id string) string {
	sum := sha256.Sum256([]byte("agentflow forgotten " + id))
	return hex.EncodeToString(sum[:])
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

// idsIn returns the ids that belong to a text: those of the facts of an entry, those that were
// merged into them, and the TextIDs of the facts, so that their texts do not come back under other
// ids.
func idsIn(text []byte) []string {
	d := markdown.Parse(text)
	ids := d.IDs()
	for _, b := range d.Blocks {
		for _, f := range b.Facts {
			ids = append(ids, memory.TextID(f.Text))
		}
	}
	return ids
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

// noteRemoval records when a text with this id, and everything in it, was removed from its file. 0
// means that it was in no file by then.
func (v *view) noteRemoval(id string, text []byte, when int64) {
	for _, id := range append(markdown.Parse(text).IDs(), id) {
		v.removedAt[id] = max(v.removedAt[id], when)
	}
}

func (v *view) find(o journal.Op, id string) int {
	return slices.IndexFunc(v.pending, func(p pending) bool { return p.Op == o && p.ID == id })
}

// vanished returns the lost entries that were not forgotten, by file and id.
func (v *view) vanished() []Ref {
	var refs []Ref
	for _, l := range v.lost {
		if !l.forgotten && !v.tombs[tombstone(l.ID)] {
			refs = append(refs, l.Ref)
		}
	}
	sortRefs(refs)
	return refs
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

// moved is a file of a change, with its contents before and after.
type moved struct {
	file          string
	before, after []byte
	at            int64 // mtime of the last file of the change, ns
}

// newIDs returns the ids that the change added to the file.
func (m moved) newIDs() []string {
	was := map[string]bool{}
	for _, id := range markdown.Parse(m.before).IDs() {
		was[id] = true
	}
	return slices.DeleteFunc(markdown.Parse(m.after).IDs(), func(id string) bool { return was[id] })
}

// recentAppends returns when ids were added to their files, by appends and by recent changes.
func (v *view) recentAppends() map[string]int64 {
	all := maps.Clone(v.appendedAt)
	newest := int64(0)
	for _, m := range v.moves {
		newest = max(newest, m.at)
	}
	for _, m := range v.moves {
		if newest-m.at < int64(staleSave) {
			for _, id := range m.newIDs() {
				all[id] = max(all[id], m.at)
			}
		}
	}
	return all
}
