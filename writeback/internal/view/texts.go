package view

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
	Of     map[string]text
	tell   func(line string) // is called for a damaged text, which counts as missing
	Failed error             // error of reading a text that may be intact: nothing may be logged then
}

type text struct {
	raw    []byte
	stored *journal.Stored // where to read it; nil: it is raw
}

// Find returns the last contents of a file, and whether the file existed.
func (t *texts) Find(name string) (raw []byte, there bool) {
	known, there := t.Of[name]
	if known.stored == nil || !there {
		return known.raw, there
	}
	raw, err := known.stored.Read()
	switch {
	case errors.Is(err, journal.ErrDamaged):
		t.tell(fmt.Sprintf("checkpoint: what %s held cannot be read: %v", name, err))
		delete(t.Of, name)
		return nil, false
	case err != nil:
		t.Failed = cmp.Or(t.Failed, err)
		return nil, false
	}
	return raw, true
}

// Get returns the last contents of a file; nil if it did not exist.
func (t *texts) Get(name string) []byte {
	raw, _ := t.Find(name)
	return raw
}

func (t *texts) set(name string, raw []byte) { t.Of[name] = text{raw: raw} }

// store records where to read a text of the checkpoint.
func (t *texts) store(name string, s *journal.Stored) { t.Of[name] = text{stored: s} }

func (t *texts) drop(name string) { delete(t.Of, name) }

// Names returns the names of all files, sorted.
func (t *texts) Names() []string { return slices.Sorted(maps.Keys(t.Of)) }

// All yields the files, sorted by name. It does not keep the texts that it reads.
func (t *texts) All() iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for _, name := range t.Names() {
			if raw, there := t.Find(name); there && !yield(name, raw) {
				return
			}
		}
	}
}

// Whole returns the contents of all files.
func (t *texts) Whole() map[string][]byte { return maps.Collect(t.All()) }
