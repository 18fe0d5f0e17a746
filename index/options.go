package index

import (
	"time"

	"agentflow/embed"
)

// Options say how an index is opened. The zero value works.
type Options struct {
	ChunkTokens  int     // most tokens in one chunk; 0 means 400
	ChunkOverlap int     // tokens two neighbouring chunks share; 0 means 80
	Ranking      Ranking // the zero value means DefaultRanking
	// Embedder makes vectors; nil means that search is by keywords only, and
	// that vectors of an earlier embedder stay as they are.
	Embedder embed.Embedder
	// EmbedTimeout is how long the embedding of a query may take; 0 means 1 s.
	EmbedTimeout time.Duration
	// Notice is told once what was put right and why ("rebuilt: …"); may be
	// nil. It is called on the goroutine of the call that noticed.
	Notice func(string)
	// Lacking is told what a Search had to do without, and why; may be nil. It
	// is called on the goroutine of the Search.
	Lacking func(string)
	// Progress is told how far a Sync or Rebuild has come, after every part
	// of a file; may be nil. It is called on the goroutine of the Sync, while
	// the write lock is held.
	Progress func(Progress)
	// ReadOnly leaves the file alone: an index that is not up to date is
	// built in memory instead, for this process.
	ReadOnly bool
}

func (o Options) withDefaults() Options {
	if o.ChunkTokens <= 0 {
		o.ChunkTokens = 400
	}
	if o.ChunkOverlap <= 0 {
		o.ChunkOverlap = 80
	}
	if o.Ranking == (Ranking{}) {
		o.Ranking = DefaultRanking()
	}
	if o.EmbedTimeout <= 0 {
		o.EmbedTimeout = time.Second
	}
	if o.Notice == nil {
		o.Notice = func(string) {}
	}
	if o.Lacking == nil {
		o.Lacking = func(string) {}
	}
	return o
}
