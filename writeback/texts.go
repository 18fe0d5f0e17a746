package writeback

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"agentflow/writeback/internal/journal"
)

// texts holds the last known contents of the memory files. Those in the checkpoint are read from it
// when they are needed.
type texts struct {
	of     map[string]text
	tell   func(line string) // is called for a damaged text, which counts as missing
	failed error             // error of reading a text that may be intact: nothing may be logged then
}

type text struct {
	raw    []byte
	stored *journal.Stored // where to read it; nil: it is raw
}

// find returns the last contents of a file, and whether the file existed.
func (t *texts) find(name string) (raw []byte, there bool) {
	known, there := t.of[name]
	if known.stored == nil || !there {
		return known.raw, there
	}
	raw, err := known.stored.Read()
	switch {
	case errors.Is(err, journal.ErrDamaged):
		t.tell(fmt.Sprintf("checkpoint: what %s held cannot be read: %v", name, err))
		delete(t.of, name)
		return nil, false
	case err != nil:
		t.failed = cmp.Or(t.failed, err)
		return nil, false
	}
	return raw, true
}

// get returns the last contents of a file; nil if it did not exist.
func (t *texts) get(name string) []byte {
	raw, _ := t.find(name)
	return raw
}

func (t *texts) set(name string, raw []byte) { t.of[name] = text{raw: raw} }

// store records where to read a text of the checkpoint.
func (t *texts) store(name string, s *journal.Stored) { t.of[name] = text{stored: s} }

func (t *texts) drop(name string) { delete(t.of, name) }

// names returns the names of all files, sorted.
func (t *texts) names() []string { return slices.Sorted(maps.Keys(t.of)) }

// all yields the files, sorted by name. It does not keep the texts that it reads.
func (t *texts) all() iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for _, name := range t.names() {
			if raw, there := t.find(name); there && !yield(name, raw) {
				return
			}
		}
	}
}

// whole returns the contents of all files.
func (t *texts) whole() map[string][]byte { return maps.Collect(t.all()) }
