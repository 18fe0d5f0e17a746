package eval

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"agentflow/internal/config"
	"agentflow/internal/consolidate"
	"agentflow/internal/eval"
	"agentflow/memory"
	"agentflow/memory/markdown"
)

// consolidatedIndex is an index over a memory that is consolidated as it grows, like by a nightly
// job.
type consolidatedIndex struct {
	eval.Index
	dir   string
	asked int
}

const consolidateEvery = 20

// consolidating returns an opener of memories that are consolidated as they grow.
func consolidating(open eval.Opener) eval.Opener {
	return func(ctx context.Context, dir, history string) (eval.Index, error) {
		index, err := open(ctx, dir, history)
		return &consolidatedIndex{Index: index, dir: dir}, err
	}
}

// Sync consolidates the memory at the first and every consolidateEvery-th call, before it updates
// the index.
func (c *consolidatedIndex) Sync(ctx context.Context, before string) error {
	c.asked++
	if c.asked%consolidateEvery == 1 {
		if err := c.consolidate(); err != nil {
			return fmt.Errorf("consolidating %s: %w", c.dir, err)
		}
	}
	return c.Index.Sync(ctx, before)
}

// consolidate consolidates the folder as of the time of its newest entry.
func (c *consolidatedIndex) consolidate() error {
	files, now := map[string][]byte{}, time.Time{}
	root := os.DirFS(c.dir)
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
	settings := config.Defaults().Consolidate
	plan := consolidate.Plan(consolidate.Input{Files: files, Now: now, Options: consolidate.Options{
		FoldAfter: settings.FoldAfter, PromoteRuns: settings.PromoteRuns, PromoteImportance: settings.PromoteImportance,
	}})
	for _, e := range plan.Edits {
		err = errors.Join(err, c.write(e))
	}
	return err
}

func (c *consolidatedIndex) write(e memory.FileEdit) error {
	path := filepath.Join(c.dir, filepath.FromSlash(e.File))
	if e.After == nil {
		return os.Remove(path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, e.After, 0o600)
}
