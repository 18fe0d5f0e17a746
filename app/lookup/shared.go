package lookup

import (
	"context"
	"fmt"
	"iter"
	"time"

	"agentflow/app"
	"agentflow/app/memoryfiles"
	"agentflow/app/sharing"
	"agentflow/index"
	"agentflow/internal/indexpool"
	"agentflow/memory"
	"agentflow/memory/digest"
	"agentflow/memory/markdown"
	"agentflow/memory/quote"
)

// sharedFile is a mirrored file of another user's memory.
type sharedFile struct{ name, Path, Author string }

// sharedFiles returns the files of all clones that are not muted, if they may contain one of
// the names. Without names it returns all files.
func sharedFiles(ctx context.Context, s *app.Repo, names ...digest.Name) (list []sharedFile) {
	from := sharing.Sources(s)
	if len(from) == 0 {
		return nil
	}
	listed := index.List(ctx, from...)
	may := func(string) bool { return true }
	if len(names) > 0 {
		memoryfiles.AskListed(ctx, s, listed, func(db *indexpool.Index, listed *index.Listing) error {
			known, err := db.Holding(ctx, listed, names...)
			if err == nil {
				may = known
			}
			return err
		})
	}
	files, err := listed.Wait()
	if err != nil {
		s.Warn("listing shared memory: %v", err)
	}
	for _, f := range files.List {
		if may(f.Name) {
			list = append(list, sharedFile{f.Name, f.Path(), f.Author})
		}
	}
	return list
}

// FindSharedFile returns the file with a name.
func FindSharedFile(ctx context.Context, s *app.Repo, name string) (sharedFile, bool) {
	for _, f := range sharedFiles(ctx, s) {
		if f.name == name {
			return f, true
		}
	}
	return sharedFile{}, false
}

// sharedBlocks yields the blocks that others share, from files that may contain one of the
// names. It warns about files that cannot be read.
func sharedBlocks(ctx context.Context, s *app.Repo, names ...digest.Name) iter.Seq[StoredBlock] {
	return func(yield func(StoredBlock) bool) {
		for _, f := range sharedFiles(ctx, s, names...) {
			p := f.parsed()
			if p.err != nil {
				s.Warn("%v", p.err)
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
	data, err := memoryfiles.Read(f.Path)
	if err != nil {
		return parsedFile{err: fmt.Errorf("reading shared memory: %w", err)}
	}
	for _, b := range markdown.Parse(data).NewestFirst() {
		p.blocks = append(p.blocks, StoredBlock{Block: b, File: f.name, Path: f.Path, Author: f.Author})
	}
	return p
}

// SharedFacts returns the wanted facts that others share, each once. If the index has
// them, no file is read.
func SharedFacts(ctx context.Context, s *app.Repo, wanted func(*StoredFact) bool) (list []*StoredFact) {
	seen := map[string]bool{}
	add := func(k *StoredFact) {
		if wanted(k) && !seen[k.ID] {
			list = append(list, k)
			seen[k.ID] = k.ID != ""
		}
	}
	for _, f := range SharedDigested(ctx, s, func(err error) { s.Warn("%v", err) }) {
		for _, k := range f.Facts {
			add(DigestedFact(s, f, k))
		}
	}
	return list
}

// SharedDigested returns the digest of each file that others share, and passes errors of
// unreadable files to warn.
func SharedDigested(ctx context.Context, s *app.Repo, warn func(error)) (list []memoryfiles.Digested) {
	known := sharedDigests(ctx, s)
	for _, f := range sharedFiles(ctx, s) {
		of := known[f.name]
		if of == nil {
			data, err := memoryfiles.Read(f.Path)
			if err != nil {
				warn(fmt.Errorf("reading shared memory: %w", err))
				continue
			}
			of = digest.Of(f.name, markdown.Parse(data))
		}
		list = append(list, memoryfiles.Digested{Digest: of, File: f.name, Path: f.Path, Author: f.Author})
	}
	return list
}

// sharedDigests returns the digests of others' files in the index, by name.
func sharedDigests(ctx context.Context, s *app.Repo) (known map[string]*digest.Digest) {
	memoryfiles.AskListed(ctx, s, index.List(ctx, sharing.Sources(s)...), func(db *indexpool.Index, listed *index.Listing) (err error) {
		known, err = db.Digests(ctx, listed, s.Decoded.In(sharing.Mirror(s)))
		return err
	})
	return known
}

// SharedWithKey returns the valid facts of others in f's namespace with f's key and a
// different text.
func SharedWithKey(ctx context.Context, s *app.Repo, f memory.Fact, now time.Time) (list []OtherFact) {
	seen := map[string]bool{f.ID: true}
	for b := range sharedBlocks(ctx, s, digest.ByKey(f.Key)) {
		for _, at := range b.Facts {
			k := FactAt(s, b, at)
			if k.Key == f.Key && k.Namespace == f.Namespace && k.Live(now) && !app.SameFact(k.Fact, f) && !seen[k.ID] {
				seen[k.ID] = true
				list = append(list, OtherFact{k.Fact, k.Author})
			}
		}
	}
	return list
}

// OthersAlone refuses an operation that only the author of a shared item can do.
func (f StoredItem) OthersAlone(doing string) error {
	if f.Author == "" {
		return nil
	}
	id := memory.ShortID(f.ID)
	return &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("%s %s: %s shares it, and only they can change it", doing, id, quote.Name(f.Author)),
		Hint: fmt.Sprintf("'agentflow forget %s' hides it here; 'agentflow remember' says otherwise in your own memory", id)}
}
