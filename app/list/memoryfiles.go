package list

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/lookup"
	"agentflow/app/memoryfiles"
	"agentflow/memory"
	"agentflow/writeback"
)

// MemoryFilesResult lists the Markdown files of memory: MEMORY.md, then days and months with the newest first, then
// other files. The files of the user's own memory follow in the same order.
type MemoryFilesResult struct {
	Files    []api.MemoryFile // never nil
	Degraded []string         // failures that did not stop the operation, one per line; never nil
}

// MemoryFiles lists the Markdown files of memory. Passage reads them.
func MemoryFiles(ctx context.Context, m *app.Memory) (res MemoryFilesResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&res.Degraded, &err)
	defer o.OrNothing(&err)
	res.Files = []api.MemoryFile{}
	s, err := o.OpenOrGlobal(ctx, o.OpenToRead)
	if err != nil {
		return res, err
	}
	for _, home := range s.AndGlobal(ctx) {
		files, err := fileList(ctx, home)
		if err != nil {
			return res, err
		}
		res.Files = append(res.Files, files...)
	}
	return res, nil
}

func fileList(ctx context.Context, s *app.Repo) (list []api.MemoryFile, err error) {
	paths, err := memoryfiles.Every(s)
	if err != nil {
		return nil, err
	}
	authors, err := authors(ctx, s, paths)
	if err != nil {
		return nil, err
	}
	for _, name := range paths {
		info, err := os.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it was removed meanwhile
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
		list = append(list, api.MemoryFile{Name: lookup.Named(s, file), Size: info.Size(), Modified: info.ModTime(), Untrusted: app.UntrustedPart(ctx, s).File(file),
			Agent: by.Agent, Session: by.Session, Run: by.Run})
	}
	lasting := lookup.Named(s, "memory/"+memory.LastingFile)
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

// authors returns the agents that last changed notes, by file. It reads the log only if there are notes.
func authors(ctx context.Context, s *app.Repo, paths []string) (map[string]writeback.Author, error) {
	notes := filepath.Join(s.Memory(), filepath.FromSlash(memory.NotesFolder)) + string(filepath.Separator)
	if !slices.ContainsFunc(paths, func(path string) bool { return strings.HasPrefix(path, notes) }) {
		return nil, nil
	}
	return s.Store.Authors(ctx)
}
