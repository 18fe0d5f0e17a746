package app

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"agentflow/app/api"
	"agentflow/internal/config"
)

// MemoriesResult lists the memories of the user.
type MemoriesResult struct {
	Memories []api.KnownMemory
	Degraded []string
}

// Memories lists the user's own memory, and the memories of all repositories in which AgentFlow has worked. The current
// folder does not matter.
func Memories(ctx context.Context, m *Memory) (result MemoriesResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&result.Degraded, &err)
	result.Memories = []api.KnownMemory{}
	dirs, err := o.Dirs()
	if err != nil {
		return result, err
	}
	if own := measureFiles(dirs.Global()); own.Files > 0 {
		own.Global = true
		result.Memories = append(result.Memories, own)
	}
	for _, root := range dirs.Known().List() {
		if root != dirs.Global().Root {
			result.Memories = append(result.Memories, measureFiles(config.Place{Root: root}))
		}
	}
	return result, nil
}

// measureFiles counts the Markdown files of a memory.
func measureFiles(place config.Place) api.KnownMemory {
	known := api.KnownMemory{Root: place.Root}
	files, _ := os.ReadDir(place.Memory()) // no folder means no files
	for _, f := range files {
		info, err := os.Stat(filepath.Join(place.Memory(), f.Name()))
		if err != nil || !info.Mode().IsRegular() || !strings.HasSuffix(f.Name(), ".md") {
			continue
		}
		known.Files, known.Bytes = known.Files+1, known.Bytes+info.Size()
		if at := info.ModTime(); known.Changed == nil || at.After(*known.Changed) {
			known.Changed = &at
		}
	}
	return known
}

// noteMemory adds the memory to the user's list. It ignores errors, because only Memories needs the list.
func noteMemory(o *Operation, place config.Place, dirs config.Dirs) {
	_ = dirs.Known().Note(place.Root)
}
