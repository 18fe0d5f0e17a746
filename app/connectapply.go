package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"agentflow/api"
)

// ConnectResult describes the changes that were made.
type ConnectResult struct {
	Change   api.ConnectChange
	Degraded []string
}

// ApplyConnect makes the changes of a plan by PlanConnect or PlanDisconnect. It returns an error of
// KindRefused if a file has changed since. Changes before the error stay, and the caller can plan
// again.
func ApplyConnect(ctx context.Context, m *Memory, plan ConnectPlan) (result ConnectResult, err error) {
	o := m.begin(ctx)
	defer o.end(&result.Degraded, &err)
	result.Change = plan.Change
	c, err := newConnector(o)
	if err != nil {
		return result, err
	}
	for _, p := range plan.agents {
		if err := c.apply(ctx, p); err != nil {
			return result, fmt.Errorf("%s: %w", p.agent, err)
		}
	}
	result.Change.Applied = true
	return result, nil
}

func (c *connector) apply(ctx context.Context, p agentPlan) error {
	if p.way != "" { // record the original files before any change
		p.kept.Way = p.way
		for _, e := range p.edits {
			if e.keep != nil {
				p.kept.put(*e.keep)
				p.kept.make(e.keep.Path)
			}
		}
		if len(p.edits) > 0 || p.plugin != nil {
			if err := p.kept.save(); err != nil {
				return err
			}
		}
	}
	if err := c.makeEdits(ctx, p); err != nil || p.way != "" || len(p.left) > 0 {
		return err
	}
	p.kept.removeMade()
	if p.kept.Files = c.stillOurs(p.agent, p.kept); len(p.kept.Files) > 0 {
		return p.kept.save() // still connected in another folder of settings
	}
	err := os.Remove(p.kept.path)
	seen := seenFile(c.dirs, p.agent)
	_ = os.Remove(seen) // it only records when a hook last ran
	removeEmptyFolders(filepath.Dir(p.kept.path), filepath.Dir(seen), c.dirs.State)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// removeEmptyFolders removes the folders that are empty.
func removeEmptyFolders(dirs ...string) {
	for _, dir := range dirs {
		_ = os.Remove(dir) // it fails if something is in it
	}
}

func (c *connector) makeEdits(ctx context.Context, p agentPlan) error {
	if p.plugin != nil {
		return c.applyPlugin(ctx, p)
	}
	for _, e := range p.edits {
		if err := e.apply(); err != nil {
			return err
		}
	}
	return nil
}
