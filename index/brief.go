package index

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"sync"

	"agentflow/index/sources"
	"agentflow/memory/digest"
	"agentflow/memory/markdown"
)

// brief is what an index keeps of a file of memory beside its chunks.
type brief struct {
	entries int // with an id; hand-written text has none
	digest  []byte
	names   []digest.Name // sorted, each once
}

const memoryPrefix = "memory/"

func briefOf(f sources.File, doc *markdown.Document) *brief {
	if f.Included {
		return nil
	}
	names := digest.Names(doc)
	slices.Sort(names)
	of := digest.Of(strings.TrimPrefix(f.Name, memoryPrefix), doc)
	return &brief{len(doc.Entries()), of.Append(nil), slices.Compact(names)}
}

// writeBrief replaces what is kept of a file.
func (w *writer) writeBrief(file int64, b *brief) {
	w.exec(`DELETE FROM names WHERE file=?`, file)
	if b == nil {
		return
	}
	w.exec(`UPDATE files SET entries=?, digest=? WHERE id=?`, b.entries, b.digest, file)
	for _, name := range b.names {
		w.exec(`INSERT INTO names VALUES(?,?)`, name, file)
	}
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
	err := d.inStep(ctx, l, func(c *sql.Conn, current map[int64]indexed) error {
		var unknown []int64
		for id, f := range current {
			if before, ok := keep.files[f.name]; ok && before.hash == f.hash {
				known[f.name], files[f.name] = before.digest, before
			} else {
				unknown = append(unknown, id)
			}
		}
		return each(ctx, c, func(scan scan) error {
			var id int64
			var coded sql.RawBytes
			if err := scan(&id, &coded); err != nil {
				return err
			}
			of, err := digest.Decode(coded)
			if err != nil {
				return fmt.Errorf("%w: %w", errDamaged, err)
			}
			f := current[id]
			known[f.name], files[f.name] = of, decoded{f.hash, of}
			return nil
		}, `SELECT id, digest FROM files WHERE id IN (`+idList(unknown)+`)`)
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
	err = d.inStep(ctx, l, func(c *sql.Conn, current map[int64]indexed) error {
		for _, f := range current {
			known[f.name] = false
		}
		holding, err := column[int64](ctx, c, `SELECT file FROM names WHERE name IN (`+idList(names)+`)`)
		for _, id := range holding {
			if f, ok := current[id]; ok {
				known[f.name] = true
			}
		}
		return err
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
func (d *DB) inStep(ctx context.Context, l *Listing, f func(*sql.Conn, map[int64]indexed) error) error {
	listed, err := l.Wait()
	if err != nil {
		return fmt.Errorf("listing memory: %w", err)
	}
	sigs := make(map[string][]byte, len(listed.List))
	for _, file := range listed.List {
		sigs[file.Name] = file.Sig
	}
	return d.with(ctx, func(h *handle) error {
		if !h.current() {
			return nil
		}
		return read(ctx, h.pool, func(c *sql.Conn) error {
			current := map[int64]indexed{}
			err := each(ctx, c, func(scan scan) error {
				var id int64
				var f indexed
				var sig sql.RawBytes
				err := scan(&id, &f.name, &f.hash, &sig)
				if len(sig) > 0 && bytes.Equal(sigs[f.name], sig) {
					current[id] = f
				}
				return err
			}, `SELECT id, path, hash, sig FROM files WHERE digest IS NOT NULL`)
			if err != nil {
				return err
			}
			return f(c, current)
		})
	})
}
