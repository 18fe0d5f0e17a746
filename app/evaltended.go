package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"agentflow/config"
	"agentflow/consolidate"
	"agentflow/eval"
	"agentflow/memory"
	"agentflow/memory/markdown"
)

// tended is an index over a memory that is consolidated as it grows, as a
// nightly job would do it.
type tended struct {
	eval.Index
	dir   string
	asked int
}

// tendEvery is how many questions lie between two consolidations.
const tendEvery = 20

// tending makes an opener of tended memories.
func tending(open eval.Opener) eval.Opener {
	return func(ctx context.Context, dir string) (eval.Index, error) {
		index, err := open(ctx, dir)
		return &tended{Index: index, dir: dir}, err
	}
}

// Sync consolidates first, now and then.
func (t *tended) Sync(ctx context.Context) error {
	t.asked++
	if t.asked%tendEvery == 1 {
		if err := t.consolidate(); err != nil {
			return fmt.Errorf("consolidating %s: %w", t.dir, err)
		}
	}
	return t.Index.Sync(ctx)
}

// consolidate puts the folder in order as of its newest entry.
func (t *tended) consolidate() error {
	files, now := map[string][]byte{}, time.Time{}
	root := os.DirFS(t.dir)
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".md") {
			return err
		}
		if files[name], err = fs.ReadFile(root, name); err != nil {
			return err
		}
		for _, e := range markdown.Parse(files[name]).Entries() {
			if e.Time.After(now) {
				now = e.Time
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	c := config.Defaults().Consolidate
	plan := consolidate.Plan(consolidate.Input{Files: files, Now: now, Options: consolidate.Options{
		FoldAfter: c.FoldAfter, PromoteRuns: c.PromoteRuns, PromoteImportance: c.PromoteImportance,
	}})
	for _, e := range plan.Edits {
		err = errors.Join(err, t.write(e))
	}
	return err
}

func (t *tended) write(e memory.FileEdit) error {
	path := filepath.Join(t.dir, filepath.FromSlash(e.File))
	if e.After == nil {
		return os.Remove(path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, e.After, 0o600)
}
