package index

import (
	"bytes"
	"context"
	"fmt"
	"sync"

	"agentflow/index/store"
	"agentflow/memory/digest"
)

// Decoded caches the digests that Digests decoded, so that a process that calls
// it often decodes only those of changed files. The zero value is ready for
// use. Several goroutines may use it. Callers share the digests and must not
// change them.
type Decoded struct {
	mu    sync.Mutex
	files map[string]decoded // keyed by the name in the listing
}

type decoded struct {
	hash   string // of the file's contents
	digest *digest.Digest
}

// Digests returns the digests of the listed files that are unchanged since they
// were indexed, by name. The caller has to read the other files. It writes
// nothing.
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

// Holding returns a function that reports whether a file may hold an item with
// one of the names. It reports true for files that hold one according to the
// index, for files that changed since they were indexed, and for files that are
// not listed. It writes nothing.
func (d *DB) Holding(ctx context.Context, l *Listing, names ...digest.Name) (may func(name string) bool, err error) {
	known := map[string]bool{} // for files unchanged since they were indexed: whether they hold one
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

// indexed is the name of a file and the hash of its indexed contents.
type indexed struct{ name, hash string }

// inStep calls f in a read transaction with those files of a listing that are
// unchanged since they were indexed, by their ids. An index of another version
// has none, and f is not called.
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
