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

// decodedDigests are those of each memory folder that operations asked for. They
// may be used by several goroutines.
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

// digested is a file of memory with what it holds.
type digested struct {
	*digest.Digest
	file   string // relative to the .agentflow folder
	path   string // the same, absolute
	author string // who shares it; empty: it is the user's own
}

// digests say what each file of this memory holds, in the order of files. The index
// is asked first; what it does not know as it stands is read. What a file could not
// tell goes to warn; the error is that of the list of files, or of a context that ended.
func (s *openMemory) digests(ctx context.Context, warn func(error)) ([]digested, error) {
	paths, err := s.files()
	if err != nil {
		return nil, fmt.Errorf("reading memory: %w", err)
	}
	known := s.indexedDigests(ctx)
	var list []digested
	for _, path := range paths {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		d := digested{file: s.relative(path), path: path}
		if d.Digest = known[d.file]; d.Digest == nil {
			d.Digest, err = s.readDigest(path)
		}
		switch {
		case repofile.IsAbsent(err): // it went meanwhile
		case err != nil:
			warn(fmt.Errorf("reading memory: %w", err))
		default:
			list = append(list, d)
		}
		err = nil
	}
	return list, nil
}

// relative is the path of a memory file from the .agentflow folder on.
func (s *openMemory) relative(path string) string {
	rel, _ := filepath.Rel(s.Root, path)
	return filepath.ToSlash(rel)
}

func (s *openMemory) readDigest(path string) (*digest.Digest, error) {
	data, err := readMemory(path)
	if err != nil {
		return nil, err
	}
	name, _ := filepath.Rel(s.Memory(), path)
	return digest.Of(filepath.ToSlash(name), markdown.Parse(data)), nil
}

// indexedDigests are those that the index knows, by file; none where it cannot be
// asked.
func (s *openMemory) indexedDigests(ctx context.Context) (known map[string]*digest.Digest) {
	s.askFiles(ctx, func(db *openIndex, listed *index.Listing) (err error) {
		known, err = db.Digests(ctx, listed, s.decoded.in(s.Memory()))
		return err
	})
	return known
}

// holding says of files, by their paths relative to the memory folder, whether they
// may hold something of one of these names. Where the index cannot be asked all may.
func (s *openMemory) holding(ctx context.Context, names ...digest.Name) func(name string) bool {
	var may func(string) bool
	asked := s.askFiles(ctx, func(db *openIndex, listed *index.Listing) (err error) {
		may, err = db.Holding(ctx, listed, names...)
		return err
	})
	return func(name string) bool { return !asked || may("memory/"+name) }
}

// askFiles asks the index about files of memory, and says whether it answered. It
// does not bring the index up to date.
func (s *openMemory) askFiles(ctx context.Context, ask func(*openIndex, *index.Listing) error) bool {
	return s.askListed(ctx, index.List(ctx, s.memorySource(ctx)), ask)
}

func (s *openMemory) askListed(ctx context.Context, listed *index.Listing, ask func(*openIndex, *index.Listing) error) bool {
	_, err := s.withIndex(ctx, func(db *openIndex) error { return ask(db, listed) })
	return err == nil
}
