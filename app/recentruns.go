package app

import (
	"context"

	"agentflow/memory"
)

// RunName is a run as a list to choose from shows it.
type RunName struct {
	ID    string // short
	Title string // what it was asked to do, in a line
}

// RecentRuns are the newest runs, at most limit. It is quick and silent: it
// finishes nothing that a crash left.
func (m *Memory) RecentRuns(ctx context.Context, limit int) ([]RunName, error) {
	s, err := m.begin(Listen(ctx, nil)).existing(ctx)
	if err != nil {
		return nil, err
	}
	var list []RunName
	for b, err := range s.blocks() {
		if err == nil && b.Entry != nil && b.Entry.Kind == memory.KindRun {
			list = append(list, RunName{memory.ShortID(b.Entry.ID), titleOf(b.Entry)})
		}
		if len(list) == limit {
			break
		}
	}
	return list, nil
}
