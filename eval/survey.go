package eval

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"agentflow/memory/markdown"
)

// surveyed is what a memory folder holds.
type surveyed struct {
	newest  time.Time       // of its entries
	entries map[string]bool // ids
	lines   map[string]int  // of each file, by its path below the folder
}

// survey looks through the Markdown in dir.
func survey(dir string) (surveyed, error) {
	s := surveyed{entries: map[string]bool{}, lines: map[string]int{}}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !strings.EqualFold(filepath.Ext(path), ".md") {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		src, err := os.ReadFile(path)
		if err == nil {
			s.take(filepath.ToSlash(rel), src)
		}
		return err
	})
	return s, err
}

func (s *surveyed) take(name string, src []byte) {
	for _, b := range markdown.Parse(src).Blocks {
		s.lines[name] = b.EndLine
		if b.Entry == nil {
			continue
		}
		s.entries[b.Entry.ID] = true
		if b.Entry.Time.After(s.newest) {
			s.newest = b.Entry.Time
		}
	}
}

// check says which answer is not in the memory.
func (s *surveyed) check(questions []Question) error {
	for _, q := range questions {
		for _, a := range q.Answers {
			file, line, ok := place(a)
			if ok && line > max(s.lines[file], s.lines[strings.TrimPrefix(file, memoryPrefix)]) || !ok && !s.entries[a] {
				return fmt.Errorf("question on line %d: memory holds no %s", q.line, a)
			}
		}
	}
	return nil
}
