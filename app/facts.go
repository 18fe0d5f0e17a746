package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentflow/api"
	"agentflow/internal/ahead"
	"agentflow/internal/repofile"
	"agentflow/memory"
	"agentflow/memory/digest"
	"agentflow/memory/markdown"
	"agentflow/uses"
)

type storedFact struct {
	memory.Fact
	storedBlock
	StartLine, EndLine int  // of the fact
	own                bool // the fact is in the user's own memory

	used uses.Use // zero unless the caller asked for counts
}

const feedback = "memory/" + memory.FeedbackFile

// facts lists the facts of memory, newest file first, without the text around them. A fact that occurs in several
// places, as in a copy of a file, is listed once.
func facts(ctx context.Context, s *openMemory) ([]*storedFact, error) {
	files, err := digests(ctx, s, func(err error) { s.warn("%v", err) })
	if err != nil {
		return nil, err
	}
	n := 0
	for _, f := range files {
		n += len(f.Facts)
	}
	list, seen := make([]*storedFact, 0, n), make(map[string]bool, n)
	for _, f := range files {
		for _, k := range f.Facts {
			if k.ID == "" || !seen[k.ID] {
				list = append(list, digestedFact(s, f, k))
			}
			seen[k.ID] = true
		}
	}
	return list, nil
}

// factsNamed yields the facts of the files that may hold one of the names, each fact once.
func factsNamed(ctx context.Context, s *openMemory, names ...digest.Name) iter.Seq[*storedFact] {
	return func(yield func(*storedFact) bool) {
		seen := map[string]bool{}
		for b := range mentioning(ctx, s, names...) {
			if b.File == feedback {
				continue // judgements are not facts about the project
			}
			for _, at := range b.Facts {
				if at.ID != "" && seen[at.ID] {
					continue
				}
				seen[at.ID] = true
				if !yield(factAt(s, b, at)) {
					return
				}
			}
		}
	}
}

// digestedFact makes a fact from the digest of its file, without the text around it.
func digestedFact(s *openMemory, f digested, k digest.Fact) *storedFact {
	at := storedBlock{Block: markdown.Block{Entry: k.Entry}, File: f.file, Path: f.path, Author: f.author}
	return factAt(s, at, markdown.FactAt{Fact: k.Fact, StartLine: k.StartLine, EndLine: k.EndLine})
}

// factAt makes a fact of a block and normalizes its namespace: people may write "project" out, and every fact in the
// user's own memory is global.
func factAt(s *openMemory, b storedBlock, at markdown.FactAt) *storedFact {
	k := &storedFact{Fact: at.Fact, storedBlock: b, StartLine: at.StartLine, EndLine: at.EndLine, own: s.isGlobal()}
	if k.Namespace = memory.NamespaceOf(k.Namespace); k.Namespace == memory.ProjectNamespace && k.own {
		k.Namespace = memory.GlobalNamespace
	}
	k.Person = b.person(k.Person)
	return k
}

// person returns the name of the person who stored a fact of the block. Only blocks of the user and of a team's server
// name that person. Every other shared block belongs to its author, and person returns "".
func (b storedBlock) person(named string) string {
	if b.Author != "" && b.Author != TeamAuthor {
		return ""
	}
	return named
}

func (k *storedFact) pinned() bool { return k.Fact.Pinned() || k.Entry != nil && k.Entry.Pinned }

// created returns the time at which the fact was remembered. It is zero for a hand-written fact without a date.
func (k *storedFact) created() time.Time {
	if k.Created.IsZero() && k.Entry != nil {
		return k.Entry.Time
	}
	return k.Created
}

func (k *storedFact) updated() time.Time {
	if k.Updated.IsZero() {
		return k.created()
	}
	return k.Updated
}

func (k *storedFact) place() string { return linesIn(k.File, k.StartLine, k.EndLine) }

// file returns the file that holds the fact, with the global label for the user's own memory.
func (k *storedFact) file() string {
	if k.own {
		return memory.GlobalLabel + k.File
	}
	return k.File
}

// named returns a place in this memory with the global label for the user's own memory.
func named(s *openMemory, place string) string {
	if s.isGlobal() {
		return memory.GlobalLabel + place
	}
	return place
}

// linesIn formats a range of lines as editors and people write it: FILE:LINE or FILE:FROM-TO.
func linesIn(file string, from, to int) string {
	if from == to {
		return fmt.Sprintf("%s:%d", file, from)
	}
	return fmt.Sprintf("%s:%d-%d", file, from, to)
}

// object returns the fact as JSON with its file and line. A fact without a date gets the date of its entry.
func (k *storedFact) object() api.Fact {
	o := api.NewFact(k.Fact)
	o.Created, o.File, o.Line, o.Pinned, o.Author = k.created(), k.file(), k.StartLine, k.pinned(), k.Author
	if u := k.used; u.Count() > 0 {
		o.Uses = &api.Uses{Prompt: u.Prompt, Search: u.Search, Get: u.Get, Last: u.Last}
	}
	return o
}

func usesFile(s *openMemory) uses.File { return uses.File{Dir: s.State()} }

func countFound(ctx context.Context, s *openMemory, hits []memory.Hit) {
	usesFile(s).Add(ctx, uses.Search, mapped(hits, func(h memory.Hit) string { return h.EntryID }), time.Now())
}

// useCounts returns the use counts of this memory and of the user's own. It warns of counts that cannot be read.
func useCounts(ctx context.Context, s *openMemory) map[string]uses.Use {
	all := map[string]uses.Use{}
	for _, home := range s.andGlobal(ctx) {
		counts, err := usesFile(home).Read()
		if err != nil {
			s.warn("%v", err)
		}
		for id, u := range counts {
			all[id] = all[id].Plus(u)
		}
	}
	return all
}

// withUses sets the use count of each fact: the sum for its id and for the ids that were merged into it.
func withUses(list []*storedFact, counts map[string]uses.Use) {
	for i := range list {
		for _, id := range list[i].IDs() {
			list[i].used = list[i].used.Plus(counts[id])
		}
	}
}

// storedBlock is an entry or a hand-written block with its file.
type storedBlock struct {
	markdown.Block
	File string // relative to the .agentflow folder: "memory/2026-11-21.md"
	Path string // the same file as an absolute path
	// Author is the person who shares the block. File is then the name that hits use, "shared/ada-1f3c22ab/MEMORY.md".
	// Empty: the block is the user's own.
	Author string
}

// isUntrusted reports whether a file of the memory folder came with the repository.
func isUntrusted(s *openMemory, path string) bool {
	rel, err := filepath.Rel(s.Root, path)
	return err == nil && s.refuses != nil && s.refuses(filepath.ToSlash(rel))
}

const maxMemoryFile = 64 << 20

func readMemory(path string) ([]byte, error) {
	return repofile.Read(path, repofile.NoLink, maxMemoryFile)
}

// markdownFiles lists the user's own Markdown files of memory, newest day first and MEMORY.md last.
func markdownFiles(s *openMemory) ([]string, error) {
	names, err := everyFile(s)
	return slices.DeleteFunc(names, func(path string) bool { return isUntrusted(s, path) }), err
}

// everyFile also lists the files that came with the repository. It lists nothing if the memory folder leads out of the
// repository.
func everyFile(s *openMemory) ([]string, error) {
	if leadsOutside(s.Memory(), filepath.Dir(s.Root)) {
		return nil, nil
	}
	var names []string
	err := filepath.WalkDir(s.Memory(), func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && d.Type().IsRegular() && strings.HasSuffix(path, ".md") {
			names = append(names, path)
		}
		return err
	})
	// A file may have tomorrow's date, because its writer was in another time zone.
	latest := time.Now().AddDate(0, 0, 1).Format(time.DateOnly)
	slices.SortFunc(names, func(a, b string) int {
		return strings.Compare(dayOf(b, latest), dayOf(a, latest))
	})
	return names, err
}

// dayOf returns the sort key of a memory file. Daily files sort by date. A month's archive sorts below the days that
// are not in it yet. Other files, and those of a day after latest, sort before every date.
func dayOf(path, latest string) string {
	name := strings.TrimSuffix(filepath.Base(path), ".md")
	if name != "" && name[0] >= '0' && name[0] <= '9' && name <= latest {
		return name
	}
	return ""
}

// blocks yields the blocks of memory, newest file first and newest entry first within a file. It yields an error for
// each file that cannot be read.
func blocks(s *openMemory) iter.Seq2[storedBlock, error] {
	return blocksOf(s, func(string) bool { return true })
}

// firstFiles is the number of files that are read one by one. A caller that wants the newest entries nearly always
// finds them there.
const firstFiles = 4

// blocksOf yields the blocks of the files that wanted accepts by path. It parses files after the first few ahead of
// time.
func blocksOf(s *openMemory, wanted func(path string) bool) iter.Seq2[storedBlock, error] {
	return func(yield func(storedBlock, error) bool) {
		files, err := markdownFiles(s)
		if err != nil && !yield(storedBlock{}, fmt.Errorf("reading memory: %w", err)) {
			return
		}
		files = slices.DeleteFunc(files, func(path string) bool { return !wanted(path) })
		first := min(firstFiles, len(files))
		for _, path := range files[:first] {
			if !parsed(s, path).yield(yield) {
				return
			}
		}
		for f := range ahead.Map(files[first:], func(path string) parsedFile { return parsed(s, path) }) {
			if !f.yield(yield) {
				return
			}
		}
	}
}

// parsedFile is a parsed file of memory, or the error from reading it.
type parsedFile struct {
	blocks []storedBlock // newest entry first
	err    error
}

func parsed(s *openMemory, path string) (f parsedFile) {
	data, err := readMemory(path)
	if err != nil {
		return parsedFile{err: fmt.Errorf("reading memory: %w", err)}
	}
	for _, block := range markdown.Parse(data).NewestFirst() {
		f.blocks = append(f.blocks, storedBlock{Block: block, File: relative(s, path), Path: path})
	}
	return f
}

// yield yields the blocks, or the error. It returns false if the caller wants no more.
func (f parsedFile) yield(yield func(storedBlock, error) bool) bool {
	if f.err != nil {
		return yield(storedBlock{}, f.err)
	}
	for _, b := range f.blocks {
		if !yield(b, nil) {
			return false
		}
	}
	return true
}

// readableBlocks yields the blocks of memory, and warns of each file that cannot be read.
func readableBlocks(s *openMemory) iter.Seq[storedBlock] {
	return withWarnings(s, blocks(s))
}

// mentioning yields the blocks of the files that may hold one of the names, and warns of each file that cannot be read.
func mentioning(ctx context.Context, s *openMemory, names ...digest.Name) iter.Seq[storedBlock] {
	return withWarnings(s, blocksNamed(ctx, s, names...))
}

// blocksNamed yields the same blocks as mentioning, and an error for each file that cannot be read.
func blocksNamed(ctx context.Context, s *openMemory, names ...digest.Name) iter.Seq2[storedBlock, error] {
	may := holding(ctx, s, names...)
	return blocksOf(s, func(path string) bool {
		name, err := filepath.Rel(s.Memory(), path)
		return err == nil && may(filepath.ToSlash(name))
	})
}

// withWarnings yields blocks, and warns of errors.
func withWarnings(s *openMemory, blocks iter.Seq2[storedBlock, error]) iter.Seq[storedBlock] {
	return func(yield func(storedBlock) bool) {
		for b, err := range blocks {
			if err != nil {
				s.warn("%v", err)
			} else if !yield(b) {
				return
			}
		}
	}
}
