package app

import (
	"context"
	"fmt"
	"iter"
	"time"

	"agentflow/index"
	"agentflow/memory"
	"agentflow/memory/digest"
	"agentflow/memory/markdown"
	"agentflow/memory/quote"
)

// sharedFile is a mirrored file of another user's memory.
type sharedFile struct{ name, path, author string }

// sharedFiles returns the files of all clones that are not muted, if they may contain one of
// the names. Without names it returns all files.
func sharedFiles(ctx context.Context, s *openMemory, names ...digest.Name) (list []sharedFile) {
	from := sharedSources(s)
	if len(from) == 0 {
		return nil
	}
	listed := index.List(ctx, from...)
	may := func(string) bool { return true }
	if len(names) > 0 {
		askListed(ctx, s, listed, func(db *openIndex, listed *index.Listing) error {
			known, err := db.Holding(ctx, listed, names...)
			if err == nil {
				may = known
			}
			return err
		})
	}
	files, err := listed.Wait()
	if err != nil {
		s.warn("listing shared memory: %v", err)
	}
	for _, f := range files.List {
		if may(f.Name) {
			list = append(list, sharedFile{f.Name, f.Path(), f.Author})
		}
	}
	return list
}

// findSharedFile returns the file with a name.
func findSharedFile(ctx context.Context, s *openMemory, name string) (sharedFile, bool) {
	for _, f := range sharedFiles(ctx, s) {
		if f.name == name {
			return f, true
		}
	}
	return sharedFile{}, false
}

// sharedBlocks yields the blocks that others share, from files that may contain one of the
// names. It warns about files that cannot be read.
func sharedBlocks(ctx context.Context, s *openMemory, names ...digest.Name) iter.Seq[storedBlock] {
	return func(yield func(storedBlock) bool) {
		for _, f := range sharedFiles(ctx, s, names...) {
			p := f.parsed()
			if p.err != nil {
				s.warn("%v", p.err)
			}
			for _, b := range p.blocks {
				if !yield(b) {
					return
				}
			}
		}
	}
}

// parsed returns the blocks of the file.
func (f sharedFile) parsed() (p parsedFile) {
	data, err := readMemory(f.path)
	if err != nil {
		return parsedFile{err: fmt.Errorf("reading shared memory: %w", err)}
	}
	for _, b := range markdown.Parse(data).NewestFirst() {
		p.blocks = append(p.blocks, storedBlock{Block: b, File: f.name, Path: f.path, Author: f.author})
	}
	return p
}

// sharedFacts returns the wanted facts that others share, each once. If the index has
// them, no file is read.
func sharedFacts(ctx context.Context, s *openMemory, wanted func(*storedFact) bool) (list []*storedFact) {
	seen := map[string]bool{}
	add := func(k *storedFact) {
		if wanted(k) && !seen[k.ID] {
			list = append(list, k)
			seen[k.ID] = k.ID != ""
		}
	}
	for _, f := range sharedDigested(ctx, s, func(err error) { s.warn("%v", err) }) {
		for _, k := range f.Facts {
			add(digestedFact(s, f, k))
		}
	}
	return list
}

// sharedDigested returns the digest of each file that others share, and passes errors of
// unreadable files to warn.
func sharedDigested(ctx context.Context, s *openMemory, warn func(error)) (list []digested) {
	known := sharedDigests(ctx, s)
	for _, f := range sharedFiles(ctx, s) {
		of := known[f.name]
		if of == nil {
			data, err := readMemory(f.path)
			if err != nil {
				warn(fmt.Errorf("reading shared memory: %w", err))
				continue
			}
			of = digest.Of(f.name, markdown.Parse(data))
		}
		list = append(list, digested{of, f.name, f.path, f.author})
	}
	return list
}

// sharedDigests returns the digests of others' files in the index, by name.
func sharedDigests(ctx context.Context, s *openMemory) (known map[string]*digest.Digest) {
	askListed(ctx, s, index.List(ctx, sharedSources(s)...), func(db *openIndex, listed *index.Listing) (err error) {
		known, err = db.Digests(ctx, listed, s.decoded.in(mirror(s)))
		return err
	})
	return known
}

// sharedWithKey returns the valid facts of others in f's namespace with f's key and a
// different text.
func sharedWithKey(ctx context.Context, s *openMemory, f memory.Fact, now time.Time) (list []OtherFact) {
	seen := map[string]bool{f.ID: true}
	for b := range sharedBlocks(ctx, s, digest.ByKey(f.Key)) {
		for _, at := range b.Facts {
			k := factAt(s, b, at)
			if k.Key == f.Key && k.Namespace == f.Namespace && k.Live(now) && !sameFact(k.Fact, f) && !seen[k.ID] {
				seen[k.ID] = true
				list = append(list, OtherFact{k.Fact, k.Author})
			}
		}
	}
	return list
}

// othersAlone is the error of an operation that only the author of a shared item can do.
func (f storedItem) othersAlone(doing string) error {
	if f.Author == "" {
		return nil
	}
	id := memory.ShortID(f.ID)
	return &Error{Kind: KindRefused, Err: fmt.Errorf("%s %s: %s shares it, and nobody else changes it", doing, id, quote.Name(f.Author)),
		Hint: fmt.Sprintf("'agentflow forget %s' hides it here; 'agentflow remember' says otherwise in your own memory", id)}
}
