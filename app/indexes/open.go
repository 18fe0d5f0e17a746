// Package indexes opens the index of a memory where the settings put it, and brings it up to date with the files.
package indexes

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"agentflow/app"
	"agentflow/app/embedding"
	"agentflow/app/sharing"
	"agentflow/index"
	"agentflow/internal/indexpool"
)

// With opens the index, calls use with it, and gives it back. Notices report oddities of the index. The error
// comes from opening it or from use.
func With(ctx context.Context, s *app.Repo, use func(*indexpool.Index) error) (notices []string, err error) {
	db, notices, err := Open(ctx, s)
	if err != nil {
		return notices, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return notices, use(db)
}

// Open opens the index, or takes an open one from the pool. Notices report oddities of the index. Only WithIndex
// and a watcher that keeps the index between updates may call it. They close the index in any case.
func Open(ctx context.Context, s *app.Repo) (db *indexpool.Index, notices []string, err error) {
	path, server, notices := indexPlace(ctx, s)
	embedder, err := embedding.For(s)
	notices = app.AppendError(notices, err)
	c := s.Settings
	known := ""
	if HasContents(s) {
		known = s.Contents()
	}
	settings := fmt.Sprintf("%q %q %q %q %q %+v %+v %+v %+v %t", path, server, sharing.Trusted(s), sharing.Naming(s), known, c.Chunk, c.Recall, c.Embed, c.Redact, embedder == nil)
	user := indexpool.User{Lacking: s.Vectors.Lacks, Notice: func(what string) { noticed(s, what) }, Progress: func(p index.Progress) {
		if s.Progress != nil {
			s.Progress(p)
		}
	}}
	if o := s.Indexes.Take(ctx, settings, user, server.Store != ""); o != nil {
		return o, notices, nil
	}
	ranking := index.DefaultRanking()
	ranking.HalfLife, ranking.Floor, ranking.Gate = c.Recall.HalfLife, c.Recall.Floor, c.Recall.Gate
	options := index.Options{
		Server: server, Trusted: sharing.Trusted(s), Naming: sharing.Naming(s),
		ChunkTokens: c.Chunk.MaxTokens, ChunkOverlap: c.Chunk.Overlap, Ranking: ranking, Embedder: embedder,
	}
	o := s.Indexes.New(settings, user, known)
	err = o.Open(ctx, path, options)
	if err != nil && server.Store != "" && ctx.Err() == nil {
		notices = append(notices, fmt.Sprintf("the index is kept in memory: %v", err))
		options.Server = index.Server{}
		err = o.Open(ctx, "", options)
	}
	if err != nil {
		return nil, notices, fmt.Errorf("opening the index: %w", err)
	}
	return o, notices, nil
}

// noticed reports a notice of the index. It reports only once that a new embedder makes all vectors again, although the
// user's own memory has an index too.
func noticed(s *app.Repo, what string) {
	if embedder, _, cut := strings.Cut(what, " now, and was "); !cut || s.Vectors.Notices.First(embedder) {
		s.Say("%s", what)
	}
}
