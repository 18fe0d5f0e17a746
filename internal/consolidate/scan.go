package consolidate

import (
	"bytes"
	"crypto/sha256"
	"reflect"
	"strings"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// A plan reads all of memory, several times. It keeps a scanned of each parsed file, which
// shares no memory with the file's text. If it needs more, it parses the file again.

// scanned is the part of a file that the rules need.
type scanned struct {
	entries []scannedEntry // those with an id
	facts   []scannedFact
}

type scannedEntry struct {
	block int
	id    string
	sum   [16]byte // of its text, without blank lines at the ends
}

type scannedFact struct {
	memory.Fact
	entry      *memory.Entry // the entry that contains it, with the fields that a fact needs; nil in hand-written text
	raw        []byte        // its current bullet
	block, nth int           // the block that contains it, and its index there
}

// place is the place of a fact: the nth of a block of a file.
type place struct {
	file       string
	block, nth int
}

// block is the place of an entry.
type block struct {
	file string
	nth  int
}

func scan(doc *markdown.Document) *scanned {
	s := &scanned{}
	for i := range doc.Blocks {
		b := &doc.Blocks[i]
		var in *memory.Entry
		if e := b.Entry; e != nil {
			if e.ID != "" {
				sum := sha256.Sum256(bytes.TrimSpace(b.Raw))
				s.entries = append(s.entries, scannedEntry{i, strings.Clone(e.ID), [16]byte(sum[:])})
			}
			if len(b.Facts) > 0 {
				in = &memory.Entry{ID: strings.Clone(e.ID), Kind: memory.Kind(strings.Clone(string(e.Kind))), Time: e.Time, Pinned: e.Pinned, Base: strings.Clone(e.Base)}
			}
		}
		for k := range b.Facts {
			s.facts = append(s.facts, scannedFact{detached(b.Facts[k].Fact), in, bytes.Clone(b.Facts[k].Raw), i, k})
		}
	}
	return s
}

// detached returns a copy of the fact that shares no memory with the text of its file.
func detached(f memory.Fact) memory.Fact {
	detach(reflect.ValueOf(&f).Elem())
	return f
}

func detach(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(strings.Clone(v.String()))
	case reflect.Slice:
		if v.IsNil() {
			return
		}
		v.Set(reflect.AppendSlice(reflect.MakeSlice(v.Type(), 0, v.Len()), v))
		for i := range v.Len() {
			detach(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				detach(v.Field(i))
			}
		}
	}
}
