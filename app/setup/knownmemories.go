package setup

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/internal/config"
	"agentflow/internal/safefile"
)

// MemoriesResult lists the memories of the user.
type MemoriesResult struct {
	Memories []api.KnownMemory
	Degraded []string
}

// Memories lists the user's own memory, and the memories of all repositories in which AgentFlow has worked. The current
// folder does not matter.
func Memories(ctx context.Context, m *app.Memory) (result MemoriesResult, err error) {
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
			known := measureFiles(config.Place{Root: root})
			known.Hooks = hasHooks(root, dirs)
			result.Memories = append(result.Memories, known)
		}
	}
	return result, nil
}

// measureFiles counts the Markdown files of a memory, also those in its folders, such as the archive.
func measureFiles(place config.Place) api.KnownMemory {
	known := api.KnownMemory{Root: place.Root}
	_ = filepath.WalkDir(place.Memory(), func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // no folder, or one that cannot be read, has no files
		case d.IsDir() && path != place.Memory() && strings.HasPrefix(d.Name(), "."):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(d.Name(), ".md"):
			return nil
		}
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			known.Files, known.Bytes = known.Files+1, known.Bytes+info.Size()
			if at := info.ModTime(); known.Changed == nil || at.After(*known.Changed) {
				known.Changed = &at
			}
		}
		return nil
	})
	return known
}

// hasHooks reports whether our git hooks are installed in the repository of a memory.
func hasHooks(root string, dirs config.Dirs) bool {
	place, err := config.Find(filepath.Dir(root), dirs.Home)
	return err == nil && place.Root == root && place.CommonDir != "" && safefile.IsDir(filepath.Join(place.State(), "hook"))
}
