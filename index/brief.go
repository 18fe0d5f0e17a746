package index

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"agentflow/index/sources"
	"agentflow/index/store"
	"agentflow/memory/digest"
	"agentflow/memory/markdown"
)

const memoryPrefix = "memory/"

// endOf is what an index keeps of a file of memory beside its chunks. What others share
// counts among nobody's entries.
func endOf(f sources.File, doc *markdown.Document) store.FileEnd {
	if f.Included {
		return store.FileEnd{}
	}
	names := digest.Names(doc)
	slices.Sort(names)
	of := digest.Of(strings.TrimPrefix(f.Name, memoryPrefix), doc)
	end := store.FileEnd{Entries: len(doc.Entries()), Digest: of.Append(nil), Names: slices.Compact(names)}
	if f.Author != "" {
		end.Entries = 0
	}
	return end
}

// Decoded keeps digests that Digests read, so that a process that asks often decodes
// again only those of files that changed. The zero value is ready; it may be used
// by several goroutines. The digests are shared: nobody changes them.
type Decoded struct {
	mu    sync.Mutex
	files map[string]decoded // by name in the listing
}

type decoded struct {
	hash   string // of the file's contents
	digest *digest.Digest
}

// Digests gives the digests of the files of a listing that are as the index has
// them. Of other files it holds nothing that could be relied on: whoever asks
// reads those. It writes nothing.
func (d *DB) Digests(ctx context.Context, l *Listing, keep *Decoded) (map[string]*digest.Digest, error) {
	keep.mu.Lock()
	defer keep.mu.Unlock()
	known, files := map[string]*digest.Digest{}, map[string]decoded{}
	err := d.inStep(ctx, l, func(v store.View, current map[int64]indexed) {
		unknown := []int64{}
		for id, f := range current {
			if before, ok := keep.files[f.name]; ok && before.hash == f.hash {
				known[f.name], files[f.name] = before.digest, before
			} else {
				unknown = append(unknown, id)
			}
		}
		v.Digests(unknown, func(id int64, coded []byte) error {
			of, err := digest.Decode(coded)
			if err != nil {
				return fmt.Errorf("%w: %w", store.ErrDamaged, err)
			}
			f := current[id]
			known[f.name], files[f.name] = of, decoded{f.hash, of}
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("asking the index what files hold: %w", err)
	}
	keep.files = files
	return known, nil
}

// Holding says of files, by their names in a listing, whether they may hold
// something of one of these names: those that do as far as the index knows, those
// that are not as the index has them, and those that are not listed. It writes nothing.
func (d *DB) Holding(ctx context.Context, l *Listing, names ...digest.Name) (may func(name string) bool, err error) {
	known := map[string]bool{} // whether a file that is as the index has it holds one
	err = d.inStep(ctx, l, func(v store.View, current map[int64]indexed) {
		for _, f := range current {
			known[f.name] = false
		}
		for _, id := range v.Named(names) {
			if f, ok := current[id]; ok {
				known[f.name] = true
			}
		}
	})
	if err != nil {
		return nil, fmt.Errorf("asking the index which files hold something: %w", err)
	}
	return func(name string) bool {
		holds, inStep := known[name]
		return holds || !inStep
	}, nil
}

// indexed is a file as the index has it.
type indexed struct{ name, hash string }

// inStep runs f, in a transaction that reads, with the files of a listing that are as
// the index has them, by their numbers. There are none where
// the index is of another version.
func (d *DB) inStep(ctx context.Context, l *Listing, f func(store.View, map[int64]indexed)) error {
	listed, err := l.Wait()
	if err != nil {
		return fmt.Errorf("listing memory: %w", err)
	}
	sigs := make(map[string][]byte, len(listed.List))
	for _, file := range listed.List {
		sigs[file.Name] = file.Sig
	}
	return d.With(ctx, func(h store.Handle) error {
		if !isCurrent(h) {
			return nil
		}
		return h.View(ctx, func(v store.View) error {
			current := map[int64]indexed{}
			for name, k := range v.Files() {
				if k.Digest && len(k.Sig) > 0 && bytes.Equal(sigs[name], k.Sig) {
					current[k.ID] = indexed{name, string(k.Hash)}
				}
			}
			f(v, current)
			return v.Err()
		})
	})
}
