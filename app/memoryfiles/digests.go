package memoryfiles

import (
	"context"
	"fmt"
	"path/filepath"

	"agentflow/app"
	"agentflow/app/indexes"
	"agentflow/index"
	"agentflow/internal/indexpool"
	"agentflow/internal/safefile"
	"agentflow/memory/digest"
	"agentflow/memory/markdown"
)

// Digested is a file of memory with its digest.
type Digested struct {
	*digest.Digest
	File   string // path relative to the .agentflow folder
	Path   string // absolute path
	Author string // author who shares the file; empty: the user's own
}

// Digests returns the digest of each file of this memory, in the order of files. It takes them from
// the index, and reads the files that are not current there. Errors of single files go to warn.
// Digests returns an error only if the files cannot be listed or ctx ends.
func Digests(ctx context.Context, s *app.Repo, warn func(error)) ([]Digested, error) {
	return digests(ctx, s, indexedDigests(ctx, s), warn)
}

// DigestsOfFiles is Digests without the index, which it neither reads nor makes.
func DigestsOfFiles(ctx context.Context, s *app.Repo, warn func(error)) ([]Digested, error) {
	return digests(ctx, s, nil, warn)
}

func digests(ctx context.Context, s *app.Repo, known map[string]*digest.Digest, warn func(error)) ([]Digested, error) {
	paths, err := List(s)
	if err != nil {
		return nil, fmt.Errorf("reading memory: %w", err)
	}
	var list []Digested
	for _, path := range paths {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		d := Digested{File: Relative(s, path), Path: path}
		if d.Digest = known[d.File]; d.Digest == nil {
			d.Digest, err = readDigest(s, path)
		}
		switch {
		case safefile.IsAbsent(err): // the file was removed meanwhile
		case err != nil:
			warn(fmt.Errorf("reading memory: %w", err))
		default:
			list = append(list, d)
		}
		err = nil
	}
	return list, nil
}

// Relative returns the path of a memory file relative to the .agentflow folder.
func Relative(s *app.Repo, path string) string {
	rel, _ := filepath.Rel(s.Root, path)
	return filepath.ToSlash(rel)
}

func readDigest(s *app.Repo, path string) (*digest.Digest, error) {
	data, err := Read(path)
	if err != nil {
		return nil, err
	}
	name, _ := filepath.Rel(s.Memory(), path)
	return digest.Of(filepath.ToSlash(name), markdown.Parse(data)), nil
}

// indexedDigests returns the digests that the index holds, by file. It returns none if the index
// cannot be used.
func indexedDigests(ctx context.Context, s *app.Repo) (known map[string]*digest.Digest) {
	askFiles(ctx, s, func(db *indexpool.Index, listed *index.Listing) (err error) {
		known, err = db.Digests(ctx, listed, s.Decoded.In(s.Memory()))
		return err
	})
	return known
}

// Holding returns a function that reports whether a file may hold something with one of the names.
// Files are given by paths relative to the memory folder. If the index cannot be used, the function
// returns true for every file.
func Holding(ctx context.Context, s *app.Repo, names ...digest.Name) func(name string) bool {
	var may func(string) bool
	asked := askFiles(ctx, s, func(db *indexpool.Index, listed *index.Listing) (err error) {
		may, err = db.Holding(ctx, listed, names...)
		return err
	})
	return func(name string) bool { return !asked || may("memory/"+name) }
}

// askFiles calls ask with the index and the list of memory files, and reports whether that worked.
// It does not update the index.
func askFiles(ctx context.Context, s *app.Repo, ask func(*indexpool.Index, *index.Listing) error) bool {
	return AskListed(ctx, s, index.List(ctx, indexes.MemorySource(ctx, s)), ask)
}

func AskListed(ctx context.Context, s *app.Repo, listed *index.Listing, ask func(*indexpool.Index, *index.Listing) error) bool {
	_, err := indexes.With(ctx, s, func(db *indexpool.Index) error { return ask(db, listed) })
	return err == nil
}
