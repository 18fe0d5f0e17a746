package app

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"

	"agentflow/index"
	"agentflow/internal/repofile"
	"agentflow/memory/digest"
	"agentflow/memory/markdown"
)

// decodedDigests caches decoded digests by memory folder. It is safe for concurrent use.
type decodedDigests struct {
	mu sync.Mutex
	of map[string]*index.Decoded // by folder
}

func (d *decodedDigests) in(folder string) *index.Decoded {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.of[folder] == nil {
		if d.of == nil {
			d.of = map[string]*index.Decoded{}
		}
		d.of[folder] = &index.Decoded{}
	}
	return d.of[folder]
}

// digested is a file of memory with its digest.
type digested struct {
	*digest.Digest
	file   string // path relative to the .agentflow folder
	path   string // absolute path
	author string // author who shares the file; empty: the user's own
}

// digests returns the digest of each file of this memory, in the order of files. It takes them from
// the index, and reads the files that are not current there. Errors of single files go to warn.
// digests returns an error only if the files cannot be listed or ctx ends.
func digests(ctx context.Context, s *openMemory, warn func(error)) ([]digested, error) {
	paths, err := markdownFiles(s)
	if err != nil {
		return nil, fmt.Errorf("reading memory: %w", err)
	}
	known := indexedDigests(ctx, s)
	var list []digested
	for _, path := range paths {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		d := digested{file: relative(s, path), path: path}
		if d.Digest = known[d.file]; d.Digest == nil {
			d.Digest, err = readDigest(s, path)
		}
		switch {
		case repofile.IsAbsent(err): // the file was removed meanwhile
		case err != nil:
			warn(fmt.Errorf("reading memory: %w", err))
		default:
			list = append(list, d)
		}
		err = nil
	}
	return list, nil
}

// relative returns the path of a memory file relative to the .agentflow folder.
func relative(s *openMemory, path string) string {
	rel, _ := filepath.Rel(s.Root, path)
	return filepath.ToSlash(rel)
}

func readDigest(s *openMemory, path string) (*digest.Digest, error) {
	data, err := readMemory(path)
	if err != nil {
		return nil, err
	}
	name, _ := filepath.Rel(s.Memory(), path)
	return digest.Of(filepath.ToSlash(name), markdown.Parse(data)), nil
}

// indexedDigests returns the digests that the index holds, by file. It returns none if the index
// cannot be used.
func indexedDigests(ctx context.Context, s *openMemory) (known map[string]*digest.Digest) {
	askFiles(ctx, s, func(db *openIndex, listed *index.Listing) (err error) {
		known, err = db.Digests(ctx, listed, s.decoded.in(s.Memory()))
		return err
	})
	return known
}

// holding returns a function that reports whether a file may hold something with one of the names.
// Files are given by paths relative to the memory folder. If the index cannot be used, the function
// returns true for every file.
func holding(ctx context.Context, s *openMemory, names ...digest.Name) func(name string) bool {
	var may func(string) bool
	asked := askFiles(ctx, s, func(db *openIndex, listed *index.Listing) (err error) {
		may, err = db.Holding(ctx, listed, names...)
		return err
	})
	return func(name string) bool { return !asked || may("memory/"+name) }
}

// askFiles calls ask with the index and the list of memory files, and reports whether that worked.
// It does not update the index.
func askFiles(ctx context.Context, s *openMemory, ask func(*openIndex, *index.Listing) error) bool {
	return askListed(ctx, s, index.List(ctx, memorySource(ctx, s)), ask)
}

func askListed(ctx context.Context, s *openMemory, listed *index.Listing, ask func(*openIndex, *index.Listing) error) bool {
	_, err := s.withIndex(ctx, func(db *openIndex) error { return ask(db, listed) })
	return err == nil
}
