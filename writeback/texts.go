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

// texts are what the memory files held last. Those of the checkpoint are read from
// it when they are asked for.
type texts struct {
	of     map[string]text
	tell   func(line string) // hears of a text that is damaged: it counts as not there
	failed error             // of a text that could not be read though it may be whole: nothing may be logged then
}

type text struct {
	raw    []byte
	stored *journal.Stored // where it is to be read; nil: it is raw
}

// find is what a file held, and whether it was there.
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

// get is what a file held; nil where it was not there.
func (t *texts) get(name string) []byte {
	raw, _ := t.find(name)
	return raw
}

func (t *texts) set(name string, raw []byte) { t.of[name] = text{raw: raw} }

// store notes where a text of the checkpoint is to be read.
func (t *texts) store(name string, s *journal.Stored) { t.of[name] = text{stored: s} }

func (t *texts) drop(name string) { delete(t.of, name) }

// names are those of all files, sorted.
func (t *texts) names() []string { return slices.Sorted(maps.Keys(t.of)) }

// all yields the files, by name. What is read for it is not kept.
func (t *texts) all() iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for _, name := range t.names() {
			if raw, there := t.find(name); there && !yield(name, raw) {
				return
			}
		}
	}
}

// whole are all files in memory.
func (t *texts) whole() map[string][]byte { return maps.Collect(t.all()) }
