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

// Ranking holds every constant of the order of hits.
type Ranking struct {
	// HalfLife is the age at which half of what age may take away is gone,
	// and Floor what age never takes: a score is multiplied by
	// Floor + (1-Floor)·0.5^(age/HalfLife). HalfLife 0 turns decay off.
	HalfLife time.Duration
	Floor    float64
	// Gate is the evidence (see plan.evidence; 2: one word that is all of the query,
	// or two that are most of it) that one of the GateLook most relevant must hold, or all are
	// noise; GateShare is the share of it that each other hit must hold.
	Gate, GateShare float64
	GateLook        int
	// FilesWeight is how much more a word in a file list counts than one in
	// title or body: files are what two tasks really share.
	FilesWeight float64
	// CommonShare is the share of chunks above which a term tells nothing
	// and leaves the query; CommonMin the number of chunks below which a
	// term is never common, because shares of a small store mean nothing.
	CommonShare float64
	CommonMin   int
	// GoneWeight multiplies entries whose commits left HEAD's history: they
	// may be wrong by now, but "we tried that" is worth knowing.
	GoneWeight float64
	// ImportanceSpan is how much importance 1 adds to a score (0.2: 20 %);
	// it orders equals and does not beat relevance.
	ImportanceSpan float64
	// IncludeWeight multiplies included files, which say how things are, not
	// what was done; and IncludeShare is the share of the hits of a gated
	// query that may come from them.
	IncludeWeight, IncludeShare float64
	// PinnedWeight multiplies what somebody pinned, and MEMORY.md.
	PinnedWeight float64
	// DatedWeight multiplies what is of the day, week or month that the query
	// names; to such a query it is no older than the rest.
	DatedWeight float64
	// UselessWeight multiplies an entry once for every time somebody said
	// that it was useless for a task like the query.
	UselessWeight float64
	// QueryRunes is how much of a long query counts after its first line: a
	// whole prompt as a query ruins recall.
	QueryRunes int
	// TypoWeight is the share of its idf mass that a term counts with when
	// the query has it with a typing error.
	TypoWeight float64
	// Scored is how many chunks one query scores. The rarest terms are kept
	// while their chunks fit; a single commoner term looks at its newest
	// chunks. BM25 costs about 1.4 µs a chunk, so this bounds a search.
	Scored int
	// Candidates is how many of the best are looked at closely.
	Candidates int
	// Nearest is how many of the nearest in meaning are candidates too, and
	// NearFloor the cosine that a text without a word of the query needs.
	Nearest   int
	NearFloor float64
	// CommonPathShare is the share of entries above which a path tells
	// nothing; CommonPathMin the number of entries below which none is common.
	CommonPathShare float64
	CommonPathMin   int
	// VoteShare is the power of the number of paths an entry names by which
	// its vote for each is divided.
	VoteShare float64
	// WarmWeight is what the warmest path weighs beside the one with the most
	// votes; WarmHalfLife the number of entries after which half of its warmth
	// is gone, and WarmEntries how many of the newest are looked at.
	WarmWeight   float64
	WarmHalfLife float64
	WarmEntries  int
	// SpreadWeight is what unseen paths add to relevance: their sum, divided
	// by the power SpreadShare of their number.
	SpreadWeight float64
	SpreadShare  float64
}

// DefaultRanking returns the starting values; measurements may change them.
func DefaultRanking() Ranking {
	return Ranking{
		HalfLife: 90 * 24 * time.Hour, Floor: 0.5, Gate: 1.25, GateShare: 0.1, GateLook: 5, FilesWeight: 2,
		CommonShare: 0.15, CommonMin: 20, GoneWeight: 0.7, ImportanceSpan: 0.2, IncludeWeight: 0.7, IncludeShare: 0.4,
		PinnedWeight: 1.1, DatedWeight: 1.5, UselessWeight: 0.5, QueryRunes: 600, TypoWeight: 0.75, Scored: 10000, Candidates: 100, Nearest: 50, NearFloor: 0.2,
		CommonPathShare: 0.1, CommonPathMin: 5, VoteShare: 0.3,
		WarmWeight: 0.4, WarmHalfLife: 30, WarmEntries: 200, SpreadWeight: 2, SpreadShare: 0.75,
	}
}
