package lookup

import (
	"context"
	"iter"
	"slices"
	"strings"
	"time"

	"agentflow/app"
	"agentflow/app/memoryfiles"
	"agentflow/memory/markdown"
)

// WithShared reports whether a list includes what others share.
func WithShared(s *app.Repo, asked bool) bool { return asked || s.Policy.CountsShared() }

// IsBy reports whether a person shares a block, or stored a fact of it through a team's server.
func (b StoredBlock) IsBy(person string) bool {
	return b.Author == person || slices.ContainsFunc(b.Facts, func(f markdown.FactAt) bool { return b.person(f.Person) == person })
}

// listedFile is a file of memory, or one that others share, with the day for sorting.
type listedFile struct {
	day  string // see DayOf
	read func() parsedFile
}

// Everybodys yields the entries of this memory and those that others share, from the newest day to
// the oldest. It reads only the files that wanted accepts by path.
func Everybodys(ctx context.Context, s *app.Repo, wanted func(path string) bool) iter.Seq[StoredBlock] {
	return func(yield func(StoredBlock) bool) {
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
func everybodysFiles(ctx context.Context, s *app.Repo, wanted func(path string) bool) (list []listedFile) {
	latest := time.Now().AddDate(0, 0, 1).Format(time.DateOnly)
	own, err := memoryfiles.List(s)
	if err != nil {
		s.Warn("reading memory: %v", err)
	}
	for _, path := range own {
		if wanted(path) {
			list = append(list, listedFile{memoryfiles.DayOf(path, latest), func() parsedFile { return parsed(s, path) }})
		}
	}
	for _, f := range sharedFiles(ctx, s) {
		if wanted(f.Path) {
			list = append(list, listedFile{memoryfiles.DayOf(f.Path, latest), func() parsedFile { return f.parsed() }})
		}
	}
	slices.SortStableFunc(list, func(a, b listedFile) int { return strings.Compare(b.day, a.day) })
	return list
}

// newestBlocks returns the entries of files, newest first. It warns of files that cannot be read.
func newestBlocks(s *app.Repo, files []listedFile) (list []StoredBlock) {
	for _, f := range files {
		p := f.read()
		if p.err != nil {
			s.Warn("%v", p.err)
		}
		for _, b := range p.blocks {
			if b.Entry != nil {
				list = append(list, b)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b StoredBlock) int { return b.Entry.Time.Compare(a.Entry.Time) })
	return list
}

// CountedDigests returns the digests of the files that statistics count. On a team's server these
// include the files that others share.
func CountedDigests(ctx context.Context, s *app.Repo, warn func(error)) ([]memoryfiles.Digested, error) {
	list, err := memoryfiles.Digests(ctx, s, warn)
	if err == nil && s.Policy.CountsShared() {
		list = append(list, SharedDigested(ctx, s, warn)...)
	}
	return list, err
}

// OfPerson keeps the facts that a person shares, or stored through a team's server.
func OfPerson(list []*StoredFact, person string) []*StoredFact {
	return slices.DeleteFunc(list, func(k *StoredFact) bool { return k.Author != person && k.Person != person })
}
