package app

import (
	"context"
	"iter"
	"slices"
	"strings"
	"time"

	"agentflow/memory/markdown"
)

// withShared reports whether a list includes what others share. On a team's server it always does,
// because nearly all entries there are from others.
func withShared(s *openMemory, asked bool) bool { return asked || s.team != nil }

// isBy reports whether a person shares a block, or stored a fact of it through a team's server.
func (b storedBlock) isBy(person string) bool {
	return b.Author == person || slices.ContainsFunc(b.Facts, func(f markdown.FactAt) bool { return b.person(f.Person) == person })
}

// listedFile is a file of memory, or one that others share, with the day for sorting.
type listedFile struct {
	day  string // see dayOf
	read func() parsedFile
}

// everybodys yields the entries of this memory and those that others share, from the newest day to
// the oldest. It reads only the files that wanted accepts by path.
func everybodys(ctx context.Context, s *openMemory, wanted func(path string) bool) iter.Seq[storedBlock] {
	return func(yield func(storedBlock) bool) {
		files := everybodysFiles(ctx, s, wanted)
		for len(files) > 0 {
			n := slices.IndexFunc(files, func(f listedFile) bool { return f.day != files[0].day })
			if n < 0 {
				n = len(files)
			}
			for _, b := range newestBlocks(s, files[:n]) {
				if !yield(b) {
					return
				}
			}
			files = files[n:]
		}
	}
}

// everybodysFiles returns the files that wanted accepts, sorted by day, newest first.
func everybodysFiles(ctx context.Context, s *openMemory, wanted func(path string) bool) (list []listedFile) {
	latest := time.Now().AddDate(0, 0, 1).Format(time.DateOnly)
	own, err := markdownFiles(s)
	if err != nil {
		s.warn("reading memory: %v", err)
	}
	for _, path := range own {
		if wanted(path) {
			list = append(list, listedFile{dayOf(path, latest), func() parsedFile { return parsed(s, path) }})
		}
	}
	for _, f := range sharedFiles(ctx, s) {
		if wanted(f.path) {
			list = append(list, listedFile{dayOf(f.path, latest), func() parsedFile { return f.parsed() }})
		}
	}
	slices.SortStableFunc(list, func(a, b listedFile) int { return strings.Compare(b.day, a.day) })
	return list
}

// newestBlocks returns the entries of files, newest first. It warns of files that cannot be read.
func newestBlocks(s *openMemory, files []listedFile) (list []storedBlock) {
	for _, f := range files {
		p := f.read()
		if p.err != nil {
			s.warn("%v", p.err)
		}
		for _, b := range p.blocks {
			if b.Entry != nil {
				list = append(list, b)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b storedBlock) int { return b.Entry.Time.Compare(a.Entry.Time) })
	return list
}

// countedDigests returns the digests of the files that statistics count. On a team's server these
// include the files that others share.
func countedDigests(ctx context.Context, s *openMemory, warn func(error)) ([]digested, error) {
	list, err := digests(ctx, s, warn)
	if err == nil && s.team != nil {
		list = append(list, sharedDigested(ctx, s, warn)...)
	}
	return list, err
}

// ofPerson keeps the facts that a person shares, or stored through a team's server.
func ofPerson(list []*storedFact, person string) []*storedFact {
	return slices.DeleteFunc(list, func(k *storedFact) bool { return k.Author != person && k.Person != person })
}
