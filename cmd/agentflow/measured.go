package main

import (
	"context"
	"errors"
	"strings"

	"agentflow/eval"
	"agentflow/index"
	"agentflow/memory"
)

// measured is an index in memory over one folder, as package eval sees it.
type measured struct {
	db  *index.DB
	dir string
}

func openMeasured(ctx context.Context, dir string) (eval.Index, error) {
	db, err := index.Open(ctx, "", index.Options{})
	if err != nil {
		return nil, err
	}
	return measured{db, dir}, nil
}

func (m measured) Sync(ctx context.Context) error {
	report, err := m.db.Sync(ctx, index.Source{Dir: m.dir, Prefix: "memory/"})
	if err == nil && len(report.Skipped) > 0 {
		err = errors.New("taking in " + strings.Join(report.Skipped, "; "))
	}
	return err
}

func (m measured) Search(ctx context.Context, q memory.Query) ([]memory.Hit, error) {
	return m.db.Search(ctx, q)
}

func (m measured) Close() error { return m.db.Close() }
