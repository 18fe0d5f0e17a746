package writeback

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// view is what the log says: its records replayed in order.
type view struct {
	files   map[string][]byte // last known contents of each memory file
	pending []pending         // logged, not yet done, oldest first
	tombs   map[string]bool   // tombstones
	lost    map[string]lost   // by id: vanished or forgotten, with their text
	landed  map[string]int64  // by id: mtime of its file after it was appended, ns
	left    map[string]int64  // by id: when it was taken out of its file by forget, ns
	moves   []moved           // files of changes that were made, oldest first
	damaged []string          // lines that could not be read
}

type pending struct {
	record
	at int64 // offset of its line in the log
}

// lost is an entry or fact that Markdown no longer holds.
type lost struct {
	Ref
	text   []byte
	forgot bool // by forget; else it vanished
}

func newView() *view {
	return &view{files: map[string][]byte{}, tombs: map[string]bool{}, lost: map[string]lost{}, landed: map[string]int64{}, left: map[string]int64{}}
}

// tombstone is the hash that stays of a forgotten id.
func tombstone(id string) string {
	sum := sha256.Sum256([]byte("agentflow forgotten " + id))
	return hex.EncodeToString(sum[:])
}

// bury puts a tombstone on an id and on all that its text holds.
func (v *view) bury(id string, text []byte) {
	v.tombs[tombstone(id)] = true
	for _, inner := range within(text) {
		v.tombs[tombstone(inner)] = true
	}
}

// dig takes them away again.
func (v *view) dig(id string, text []byte) {
	delete(v.tombs, tombstone(id))
	for _, inner := range within(text) {
		delete(v.tombs, tombstone(inner))
	}
}

// within are the ids that go with a text: those of the facts of an entry and
// of those that were merged into them, and of what the facts say, so that it
// does not come back under another id.
func within(text []byte) []string {
	d := markdown.Parse(text)
	ids := d.IDs()
	for _, b := range d.Blocks {
		for _, f := range b.Facts {
			ids = append(ids, memory.TextID(f.Text))
		}
	}
	return ids
}

// apply replays one record that stands at offset at.
func (v *view) apply(r record, at int64) {
	switch r.Op {
	case opEntry, opPin, opUnpin, opChange:
		v.await(r, at)
	case opRestore:
		v.dig(r.ID, r.Text)
		delete(v.lost, r.ID)
		v.await(r, at)
	case opForget:
		v.bury(r.ID, r.Text)
		v.lost[r.ID] = lost{Ref{ID: r.ID, Title: r.Title, File: r.File}, r.Text, true}
		v.await(r, at)
	case opPurge:
		v.tombs[tombstone(r.ID)] = true
		delete(v.lost, r.ID)
		v.await(r, at)
	case opDone:
		v.done(r)
	case opFile:
		if v.files[r.File] = r.Text; r.Text == nil {
			v.files[r.File] = []byte{} // an empty file is there: nil says that none is
		}
	case opNoFile:
		delete(v.files, r.File)
	case opLost:
		v.lost[r.ID] = lost{Ref{ID: r.ID, Title: r.Title, File: r.File}, r.Text, r.Forgot}
	case opFound:
		delete(v.lost, r.ID)
	case opTomb:
		v.tombs[r.Hash] = true
	}
}

// await puts r among the pending, once.
func (v *view) await(r record, at int64) {
	if v.find(r.Op, r.ID) < 0 {
		v.pending = append(v.pending, pending{r, at})
	}
}

func (v *view) done(r record) {
	if r.Of == opEntry || r.Of == opRestore {
		v.landed[r.ID] = r.Stamp
	}
	i := v.find(r.Of, r.ID)
	if r.Of == opForget {
		var text []byte // none in a checkpoint, which lists all that left
		if i >= 0 {
			text = v.pending[i].Text
		}
		v.leave(r.ID, text, r.Stamp)
	}
	if i < 0 {
		return
	}
	p := v.pending[i]
	v.pending = slices.Delete(v.pending, i, i+1)
	if r.Of == opChange && !r.Kept {
		v.changed(p.record, r.Stamp)
	}
	if r.Of != opEntry && r.Of != opRestore {
		return
	}
	if !r.Kept {
		text := v.files[p.File]
		text = append(text, joint(text, p.File)...)
		v.files[p.File] = append(text, p.Text...)
	}
}

// leave notes when a text, known by id, was taken out of its file, with all
// that it held; 0 says that it stood in none any more.
func (v *view) leave(id string, text []byte, when int64) {
	for _, id := range append(markdown.Parse(text).IDs(), id) {
		v.left[id] = max(v.left[id], when)
	}
}

func (v *view) find(o op, id string) int {
	return slices.IndexFunc(v.pending, func(p pending) bool { return p.Op == o && p.ID == id })
}

// vanished are the lost entries that nobody forgot, by file and id.
func (v *view) vanished() []Ref {
	var refs []Ref
	for _, l := range v.lost {
		if !l.forgot && !v.tombs[tombstone(l.ID)] {
			refs = append(refs, l.Ref)
		}
	}
	sortRefs(refs)
	return refs
}

// replay applies every line of data, whose first byte stands at offset base,
// and gives the offset after the last whole line. A line that does not read
// is skipped and counted; what follows the last newline is a torn append and is
// left alone.
func (v *view) replay(name string, data []byte, base int64) int64 {
	var bad damage
	for len(data) > 0 {
		end := bytes.IndexByte(data, '\n')
		if end < 0 {
			break
		}
		if r, err := decode(data[:end]); err == nil {
			v.apply(r, base)
		} else {
			bad.add(base, end, err)
		}
		base += int64(end) + 1
		data = data[end+1:]
	}
	if bad.lines > 0 {
		v.damaged = append(v.damaged, bad.in(name))
	}
	return base
}

// decodeAll gives the records of the lines that read.
func decodeAll(data []byte) []record {
	var records []record
	for line := range bytes.Lines(data) {
		if line, whole := bytes.CutSuffix(line, []byte{'\n'}); whole {
			if r, err := decode(line); err == nil {
				records = append(records, r)
			}
		}
	}
	return records
}
