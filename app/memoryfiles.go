package app

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"agentflow/api"
	"agentflow/memory"
	"agentflow/writeback"
)

// MemoryFilesResult lists the Markdown files of memory: MEMORY.md, days and
// months with the newest first, then the others; behind them those of the
// user's own memory.
type MemoryFilesResult struct {
	Files    []api.MemoryFile // never nil
	Degraded []string         // what did not work, a line each; never nil
}

// MemoryFiles lists the Markdown files of memory, which Passage reads.
func (m *Memory) MemoryFiles(ctx context.Context) (res MemoryFilesResult, err error) {
	o := m.begin(ctx)
	defer o.end(&res.Degraded, &err)
	defer o.orNothing(&err)
	res.Files = []api.MemoryFile{}
	s, err := o.openOrGlobal(ctx, o.openToRead)
	if err != nil {
		return res, err
	}
	for _, home := range s.andGlobal(ctx) {
		files, err := home.fileList(ctx)
		if err != nil {
			return res, err
		}
		res.Files = append(res.Files, files...)
	}
	return res, nil
}

func (s *openMemory) fileList(ctx context.Context) (list []api.MemoryFile, err error) {
	paths, err := s.everyFile()
	if err != nil {
		return nil, err
	}
	authors, err := s.authors(ctx, paths)
	if err != nil {
		return nil, err
	}
	for _, name := range paths {
		info, err := os.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it went meanwhile
		}
		if err != nil {
			return nil, err
		}
		rel, err := filepath.Rel(s.Memory(), name)
		if err != nil {
			return nil, err
		}
		file := path.Join("memory", filepath.ToSlash(rel))
		by := authors[filepath.ToSlash(rel)]
		list = append(list, api.MemoryFile{Name: s.named(file), Size: info.Size(), Modified: info.ModTime(), Untrusted: s.untrusted(ctx).file(file),
			Agent: by.Agent, Session: by.Session, Run: by.Run})
	}
	lasting := s.named("memory/" + memory.LastingFile)
	slices.SortStableFunc(list, func(a, b api.MemoryFile) int {
		switch lasting {
		case a.Name:
			return -1
		case b.Name:
			return 1
		}
		return 0
	})
	return list, nil
}

// authors are the agents that changed notes last, by file; the log is read only
// where there are notes.
func (s *openMemory) authors(ctx context.Context, paths []string) (map[string]writeback.Author, error) {
	notes := filepath.Join(s.Memory(), filepath.FromSlash(memory.NotesFolder)) + string(filepath.Separator)
	if !slices.ContainsFunc(paths, func(path string) bool { return strings.HasPrefix(path, notes) }) {
		return nil, nil
	}
	return s.store.Authors(ctx)
}
