package index

import (
	"context"
	"time"

	"agentflow/embed"
	"agentflow/index/contents"
	"agentflow/index/files"
	"agentflow/index/rank"
	"agentflow/index/sqlite"
)

// Options configure an index. The zero value works.
type Options struct {
	// Server is the database server that keeps the index instead of a file. The
	// zero value means none.
	Server       Server
	ChunkTokens  int     // maximum tokens in one chunk; 0 means 400
	ChunkOverlap int     // tokens shared by two neighbouring chunks; 0 means 80
	Ranking      Ranking // the zero value means DefaultRanking
	// Embedder makes vectors. Without one, search uses keywords only, and the
	// vectors of an earlier embedder are kept.
	Embedder embed.Embedder
	// EmbedTimeout is how long the embedding of a query may take. 0 means 1 s,
	// or the time that a slow embedder declares.
	EmbedTimeout time.Duration
	// Notice receives each repair and its reason once ("rebuilt: …"); may be
	// nil. It is called on the goroutine of the call that found the problem.
	Notice func(string)
	// Lacking receives what a Search had to do without, and why; may be nil. It
	// is called on the goroutine of the Search.
	Lacking func(string)
	// Progress receives the progress of a Sync or Rebuild after every piece of
	// a file; may be nil. It is called on the goroutine of the Sync, while the
	// write lock is held.
	Progress func(Progress)
	// ReadOnly keeps the file unchanged. An index that is not up to date is
	// built in memory instead, for this process.
	ReadOnly bool
	// Trusted are the path prefixes of shared sources that rank like the user's
	// own text.
	Trusted []string
	// Naming are the path prefixes of shared sources in which each fact names
	// the person who stored it. In other sources the author of a fact is the
	// author of its source.
	Naming []string
	// Contents looks stems up in the files of the work tree. Nil, or a result
	// without files, means that nothing is known about them.
	Contents func(ctx context.Context, hashes []uint32) (contents.Found, error)
	// Weights are the weights of the file model; the zero value means
	// files.Default.
	Weights files.Sets
	// Files receives the ranked files of each search; may be nil. Programs that
	// fit the weights set it.
	Files func(*files.Ranked)
	// Known receives the features by which each search decided whether memory
	// knows the subject of the query; may be nil. Programs that fit the weights
	// of the gate set it.
	Known func(rank.Knowledge)
}

// Server names a store on a database server.
type Server struct {
	Store      string // its registered name: see store.Register
	DSN        string
	ReadDSN    string // of a replica, for reading only; "" means DSN
	Repository string // the repository that is indexed; "" means all repositories, for reading only
}

func (o Options) withDefaults() Options {
	if o.Server.Store == "" {
		o.Server.Store = sqlite.Name
	}
	if o.ChunkTokens <= 0 {
		o.ChunkTokens = 400
	}
	if o.ChunkOverlap <= 0 {
		o.ChunkOverlap = 80
	}
	if o.Ranking == (Ranking{}) {
		o.Ranking = DefaultRanking()
	}
	if o.Weights == (files.Sets{}) {
		o.Weights = files.Default()
	}
	if o.EmbedTimeout <= 0 {
		o.EmbedTimeout = time.Second
		if o.Embedder != nil && o.Embedder.Info().Slow > 0 {
			o.EmbedTimeout = o.Embedder.Info().Slow
		}
	}
	if o.Notice == nil {
		o.Notice = func(string) {}
	}
	if o.Lacking == nil {
		o.Lacking = func(string) {}
	}
	return o
}
