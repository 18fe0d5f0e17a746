package app

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"agentflow/internal/plural"

	"agentflow/embed"
	"agentflow/eval"
	"agentflow/index"
	"agentflow/memory"
)

// measured is an index in memory over one folder, as package eval sees it.
type measured struct {
	db  *index.DB
	dir string
}

// measuring opens indexes that take their vectors from e; nil means keywords
// only. Chunks and ranking are as they come, whatever settings say.
func measuring(e embed.Embedder) eval.Opener {
	return func(ctx context.Context, dir string) (eval.Index, error) {
		db, err := index.Open(ctx, "", index.Options{Embedder: e})
		if err != nil {
			return nil, err
		}
		return measured{db, dir}, nil
	}
}

// Sync waits for every vector.
func (m measured) Sync(ctx context.Context) error {
	report, err := m.db.Sync(ctx, index.Source{Dir: m.dir, Prefix: "memory/"})
	if err != nil {
		return err
	}
	if len(report.Skipped) > 0 {
		return errors.New("taking in memory: " + strings.Join(report.Skipped, "; "))
	}
	vectors, err := m.db.EmbedPending(ctx, nil)
	if err == nil && vectors.Pending > 0 {
		err = fmt.Errorf("taking in memory: %s without a vector", plural.Count(vectors.Pending, "chunk"))
	}
	return err
}

func (m measured) Search(ctx context.Context, q memory.Query) ([]memory.Hit, error) {
	return m.db.Search(ctx, q)
}

func (m measured) Close() error { return m.db.Close() }
