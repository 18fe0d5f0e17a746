package connect

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/kept"
	"agentflow/app/session"
)

// ConnectResult describes the changes that were made.
type ConnectResult struct {
	Change   api.ConnectChange
	Degraded []string
}

// ApplyConnect makes the changes of a plan by PlanConnect or PlanDisconnect. It returns an error of
// KindRefused if a file has changed since. Changes before the error stay, and the caller can plan
// again.
func ApplyConnect(ctx context.Context, m *app.Memory, plan ConnectPlan) (result ConnectResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&result.Degraded, &err)
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
			if e.Keep != nil {
				p.kept.Put(*e.Keep)
				p.kept.Make(e.Keep.Path)
			}
		}
		if len(p.edits) > 0 || p.plugin != nil {
			if err := p.kept.Save(); err != nil {
				return err
			}
		}
	}
	if err := c.makeEdits(ctx, p); err != nil || p.way != "" || len(p.left) > 0 {
		return err
	}
	p.kept.RemoveMade()
	if p.kept.Files = c.stillOurs(p.agent, p.kept); len(p.kept.Files) > 0 {
		return p.kept.Save() // still connected in another folder of settings
	}
	err := os.Remove(p.kept.Path)
	seen := session.SeenFile(c.dirs, p.agent)
	_ = os.Remove(seen) // it only records when a hook last ran
	kept.RemoveEmptyFolders(filepath.Dir(p.kept.Path), filepath.Dir(seen), c.dirs.State)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

func (c *connector) makeEdits(ctx context.Context, p agentPlan) error {
	if p.plugin != nil {
		return c.applyPlugin(ctx, p)
	}
	for _, e := range p.edits {
		if err := e.Apply(); err != nil {
			return err
		}
	}
	return nil
}
