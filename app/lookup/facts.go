// Package lookup finds what memory holds: entries and facts with their places, by id, commit or namespace, in this
// memory, in the user's own, and in what others share. It is the only package that resolves an id, the end of an id,
// a commit or "last".
package lookup

import (
	"context"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/memoryfiles"
	"agentflow/internal/lists"
	"agentflow/internal/parallel"
	"agentflow/internal/usecount"
	"agentflow/memory"
	"agentflow/memory/digest"
	"agentflow/memory/markdown"
	"agentflow/memory/retrieval"
)

// StoredFact is a fact and its place in memory.
type StoredFact struct {
	memory.Fact
	Entry              *memory.Entry // the entry that contains it; nil in hand-written text
	File, Path, Author string        // see StoredBlock
	StartLine, EndLine int           // of the fact
	own                bool          // the fact is in the user's own memory

	Used usecount.Use // zero unless the caller asked for counts
}

// Feedback names the file of judgements, as hits do.
const Feedback = "memory/" + memory.FeedbackFile

// Facts lists the facts of memory, newest file first, without the text around them. A fact that occurs in several
// places, as in a copy of a file, is listed once.
func Facts(ctx context.Context, s *app.Repo) ([]*StoredFact, error) {
	files, err := memoryfiles.Digests(ctx, s, func(err error) { s.Warn("%v", err) })
	if err != nil {
		return nil, err
	}
	n := 0
	for _, f := range files {
		n += len(f.Facts)
	}
	list, seen := make([]*StoredFact, 0, n), make(map[string]bool, n)
	for _, f := range files {
		for _, k := range f.Facts {
			if k.ID == "" || !seen[k.ID] {
				list = append(list, DigestedFact(s, f, k))
			}
			seen[k.ID] = true
		}
	}
	return list, nil
}

// FactsNamed yields the facts of the files that may hold one of the names, each fact once.
func FactsNamed(ctx context.Context, s *app.Repo, names ...digest.Name) iter.Seq[*StoredFact] {
	return func(yield func(*StoredFact) bool) {
		seen := map[string]bool{}
		for b := range Mentioning(ctx, s, names...) {
			if b.File == Feedback {
				continue // judgements are not facts about the project
			}
			for _, at := range b.Facts {
				if at.ID != "" && seen[at.ID] {
					continue
				}
				seen[at.ID] = true
				if !yield(FactAt(s, b, at)) {
					return
				}
			}
		}
	}
}

// DigestedFact makes a fact from the digest of its file, without the text around it.
func DigestedFact(s *app.Repo, f memoryfiles.Digested, k digest.Fact) *StoredFact {
	at := StoredBlock{Block: markdown.Block{Entry: k.Entry}, File: f.File, Path: f.Path, Author: f.Author}
	return FactAt(s, at, markdown.FactAt{Fact: k.Fact, StartLine: k.StartLine, EndLine: k.EndLine})
}

// FactAt makes a fact of a block and normalizes its namespace: people may write "project" out, and every fact in the
// user's own memory is global.
func FactAt(s *app.Repo, b StoredBlock, at markdown.FactAt) *StoredFact {
	k := &StoredFact{Fact: at.Fact, Entry: b.Entry, File: b.File, Path: b.Path, Author: b.Author, StartLine: at.StartLine, EndLine: at.EndLine, own: s.IsGlobal()}
	if k.Namespace = memory.NamespaceOf(k.Namespace); k.Namespace == memory.ProjectNamespace && k.own {
		k.Namespace = memory.GlobalNamespace
	}
	k.Person = b.person(k.Person)
	return k
}

// person returns the name of the person who stored a fact of the block. Only blocks of the user and of a team's server
// name that person. Every other shared block belongs to its author, and person returns "".
func (b StoredBlock) person(named string) string {
	if b.Author != "" && b.Author != app.TeamAuthor {
		return ""
	}
	return named
}

// IsPinned reports whether the fact or its entry is pinned.
func (k *StoredFact) IsPinned() bool { return k.Fact.Pinned() || k.Entry != nil && k.Entry.Pinned }

// CreatedAt returns the time at which the fact was remembered. It is zero for a hand-written fact without a date.
func (k *StoredFact) CreatedAt() time.Time {
	if k.Created.IsZero() && k.Entry != nil {
		return k.Entry.Time
	}
	return k.Created
}

// UpdatedAt returns the time of the last change, or that of the creation.
func (k *StoredFact) UpdatedAt() time.Time {
	if k.Updated.IsZero() {
		return k.CreatedAt()
	}
	return k.Updated
}

// Place returns the file and the lines of the fact.
func (k *StoredFact) Place() string { return LinesIn(k.File, k.StartLine, k.EndLine) }

// InFile returns the file that holds the fact, with the global label for the user's own memory.
func (k *StoredFact) InFile() string {
	if k.own {
		return memory.GlobalLabel + k.File
	}
	return k.File
}

// Named returns a place in this memory with the global label for the user's own memory.
func Named(s *app.Repo, place string) string {
	if s.IsGlobal() {
		return memory.GlobalLabel + place
	}
	return place
}

// LinesIn formats a range of lines as editors and people write it: FILE:LINE or FILE:FROM-TO.
func LinesIn(file string, from, to int) string {
	if from == to {
		return fmt.Sprintf("%s:%d", file, from)
	}
	return fmt.Sprintf("%s:%d-%d", file, from, to)
}

// Object returns the fact as JSON with its file and line. A fact without a date gets the date of its entry.
func (k *StoredFact) Object() api.Fact {
	o := api.NewFact(k.Fact)
	o.Created, o.File, o.Line, o.Pinned, o.Author = k.CreatedAt(), k.InFile(), k.StartLine, k.IsPinned(), k.Author
	if u := k.Used; u.Count() > 0 {
		o.Uses = &api.Uses{Prompt: u.Prompt, Search: u.Search, Get: u.Get, Last: u.Last}
	}
	return o
}

// UsesFile returns the file with the counts of uses.
func UsesFile(s *app.Repo) usecount.File { return usecount.File{Dir: s.State()} }

// CountFound counts hits of a search as used.
func CountFound(ctx context.Context, s *app.Repo, hits []retrieval.Hit) {
	UsesFile(s).Add(ctx, usecount.Search, lists.Mapped(hits, func(h retrieval.Hit) string { return h.EntryID }), time.Now())
}

// UseCounts returns the use counts of this memory and of the user's own. It warns of counts that cannot be read.
func UseCounts(ctx context.Context, s *app.Repo) map[string]usecount.Use {
	all := map[string]usecount.Use{}
	for _, home := range s.AndGlobal(ctx) {
		counts, err := UsesFile(home).Read()
		if err != nil {
			s.Warn("%v", err)
		}
		for id, u := range counts {
			all[id] = all[id].Plus(u)
		}
	}
	return all
}

// WithUses sets the use count of each fact: the sum for its id and for the ids that were merged into it.
func WithUses(list []*StoredFact, counts map[string]usecount.Use) {
	for i := range list {
		for _, id := range list[i].IDs() {
			list[i].Used = list[i].Used.Plus(counts[id])
		}
	}
}

// StoredBlock is an entry or a hand-written block with its file.
type StoredBlock struct {
	markdown.Block
	File string // relative to the .agentflow folder: "memory/2026-11-21.md"
	Path string // the same file as an absolute path
	// Author is the person who shares the block. File is then the name that hits use, "shared/ada-1f3c22ab/MEMORY.md".
	// Empty: the block is the user's own.
	Author string
}

// Blocks yields the blocks of memory, newest file first and newest entry first within a file. It yields an error for
// each file that cannot be read.
func Blocks(s *app.Repo) iter.Seq2[StoredBlock, error] {
	return BlocksOf(s, func(string) bool { return true })
}

// firstFiles counts the files that are read one by one. A caller that wants the newest entries nearly always
// finds them there.
const firstFiles = 4

// BlocksOf yields the blocks of the files that wanted accepts by path. It parses files after the first few ahead of
// time.
func BlocksOf(s *app.Repo, wanted func(path string) bool) iter.Seq2[StoredBlock, error] {
	return func(yield func(StoredBlock, error) bool) {
		files, err := memoryfiles.List(s)
		if err != nil && !yield(StoredBlock{}, fmt.Errorf("reading memory: %w", err)) {
			return
		}
		files = slices.DeleteFunc(files, func(path string) bool { return !wanted(path) })
		first := min(firstFiles, len(files))
		for _, path := range files[:first] {
			if !parsed(s, path).yield(yield) {
				return
			}
		}
		for f := range parallel.Map(files[first:], func(path string) parsedFile { return parsed(s, path) }) {
			if !f.yield(yield) {
				return
			}
		}
	}
}

// parsedFile is a parsed file of memory, or the error from reading it.
type parsedFile struct {
	blocks []StoredBlock // newest entry first
	err    error
}

func parsed(s *app.Repo, path string) (f parsedFile) {
	data, err := memoryfiles.Read(path)
	if err != nil {
		return parsedFile{err: fmt.Errorf("reading memory: %w", err)}
	}
	for _, block := range markdown.Parse(data).NewestFirst() {
		f.blocks = append(f.blocks, StoredBlock{Block: block, File: memoryfiles.Relative(s, path), Path: path})
	}
	return f
}

// yield yields the blocks, or the error. It returns false if the caller wants no more.
func (f parsedFile) yield(yield func(StoredBlock, error) bool) bool {
	if f.err != nil {
		return yield(StoredBlock{}, f.err)
	}
	for _, b := range f.blocks {
		if !yield(b, nil) {
			return false
		}
	}
	return true
}

// ReadableBlocks yields the blocks of memory, and warns of each file that cannot be read.
func ReadableBlocks(s *app.Repo) iter.Seq[StoredBlock] {
	return WithWarnings(s, Blocks(s))
}

// Mentioning yields the blocks of the files that may hold one of the names, and warns of each file that cannot be read.
func Mentioning(ctx context.Context, s *app.Repo, names ...digest.Name) iter.Seq[StoredBlock] {
	return WithWarnings(s, BlocksNamed(ctx, s, names...))
}

// BlocksNamed yields the same blocks as mentioning, and an error for each file that cannot be read.
func BlocksNamed(ctx context.Context, s *app.Repo, names ...digest.Name) iter.Seq2[StoredBlock, error] {
	may := memoryfiles.Holding(ctx, s, names...)
	return BlocksOf(s, func(path string) bool {
		name, err := filepath.Rel(s.Memory(), path)
		return err == nil && may(filepath.ToSlash(name))
	})
}

// WithWarnings yields blocks, and warns of errors.
func WithWarnings(s *app.Repo, blocks iter.Seq2[StoredBlock, error]) iter.Seq[StoredBlock] {
	return func(yield func(StoredBlock) bool) {
		for b, err := range blocks {
			if err != nil {
				s.Warn("%v", err)
			} else if !yield(b) {
				return
			}
		}
	}
}
