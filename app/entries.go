package app

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentflow/internal/repofile"
	"agentflow/memory"
	"agentflow/memory/markdown"
)

// storedBlock is an entry or a hand-written block with the file it stands in.
type storedBlock struct {
	markdown.Block
	File string // relative to the .agentflow folder: "memory/2026-11-21.md"
	Path string // the same, absolute
}

// isUntrusted says whether a file of the memory folder came with the repository.
func (s *openMemory) isUntrusted(path string) bool {
	rel, err := filepath.Rel(s.Root, path)
	return err == nil && s.refuses != nil && s.refuses(filepath.ToSlash(rel))
}

// maxMemoryFile bounds a memory file that is read whole, in bytes.
const maxMemoryFile = 64 << 20

// readMemory reads a memory file.
func readMemory(path string) ([]byte, error) {
	return repofile.Read(path, repofile.NoLink, maxMemoryFile)
}

// files lists the memory's Markdown files that are the user's, newest day
// first, MEMORY.md last. There are none where the folder leads elsewhere.
func (s *openMemory) files() ([]string, error) {
	if leadsOutside(s.Memory(), filepath.Dir(s.Root)) {
		return nil, nil
	}
	var names []string
	err := filepath.WalkDir(s.Memory(), func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && d.Type().IsRegular() && strings.HasSuffix(path, ".md") && !s.isUntrusted(path) {
			names = append(names, path)
		}
		return err
	})
	// Tomorrow may be today where the entry was written.
	latest := time.Now().AddDate(0, 0, 1).Format(time.DateOnly)
	slices.SortFunc(names, func(a, b string) int {
		return strings.Compare(dayOf(b, latest), dayOf(a, latest))
	})
	return names, err
}

// dayOf is the sort key of a memory file: daily files by date, a month's
// archive below its days that are not in it yet, and other files, also those
// of a day after latest, before every date.
func dayOf(path, latest string) string {
	name := strings.TrimSuffix(filepath.Base(path), ".md")
	if name != "" && name[0] >= '0' && name[0] <= '9' && name <= latest {
		return name
	}
	return ""
}

// blocks yields the blocks of memory, newest file first and within a file newest
// entry first. A file that cannot be read is yielded as an error.
func (s *openMemory) blocks() iter.Seq2[storedBlock, error] {
	return func(yield func(storedBlock, error) bool) {
		files, err := s.files()
		if err != nil && !yield(storedBlock{}, fmt.Errorf("reading memory: %w", err)) {
			return
		}
		for _, path := range files {
			data, err := readMemory(path)
			if err != nil {
				if !yield(storedBlock{}, fmt.Errorf("reading memory: %w", err)) {
					return
				}
				continue
			}
			rel, _ := filepath.Rel(s.Root, path)
			for _, block := range newestFirst(markdown.Parse(data).Blocks) {
				if !yield(storedBlock{block, filepath.ToSlash(rel), path}, nil) {
					return
				}
			}
		}
	}
}

// readable yields the same blocks, and a warning tells of each file that cannot
// be read.
func (s *openMemory) readable() iter.Seq[storedBlock] {
	return func(yield func(storedBlock) bool) {
		for b, err := range s.blocks() {
			if err != nil {
				s.warn("%v", err)
			} else if !yield(b) {
				return
			}
		}
	}
}

// newestFirst turns the order of a file round. Entries are sorted by their time
// and id, because an entry that was written late, after a crash, stands after
// newer ones. Hand-written blocks, which have neither, come last. Commits of
// one second stay in the order of the file, which is that of their history:
// their ids come from their hashes and tell no order.
func newestFirst(blocks []markdown.Block) []markdown.Block {
	slices.Reverse(blocks)
	slices.SortStableFunc(blocks, func(a, b markdown.Block) int {
		switch {
		case a.Entry != nil && b.Entry != nil:
			return cmp.Or(b.Entry.Time.Compare(a.Entry.Time), strings.Compare(string(a.Entry.Kind), string(b.Entry.Kind)), laterID(b.Entry, a.Entry))
		case a.Entry != nil:
			return -1
		case b.Entry != nil:
			return 1
		}
		return 0
	})
	return blocks
}

// laterID compares entries of one second and kind by when their ids were made.
func laterID(a, b *memory.Entry) int {
	if a.Kind == memory.KindCommit {
		return 0
	}
	return strings.Compare(a.ID, b.ID)
}
