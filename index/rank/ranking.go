// Package rank orders the results of a search: it measures the query against the
// index, weighs each candidate, keeps noise out of prompts, and picks the hits
// that together name the files that a task will touch. It is pure; the index
// does all lookups.
//
// Facts that agents stored through a tool, and text below notes/, get a limited
// share of a prompt and come after pinned items. A fact that was moved out of a
// run's entry and that entry are one item: the one that says more about the
// query is the hit.
package rank

import "time"

// Ranking holds every constant of the order of hits.
type Ranking struct {
	// HalfLife and Floor set the decay by age: a score is multiplied by
	// Floor + (1-Floor)·0.5^(age/HalfLife). Floor is the part that age never takes
	// away. HalfLife 0 turns decay off.
	HalfLife time.Duration
	Floor    float64
	// Gate is the least chance that memory knows the subject of a query (see
	// Knowledge). Below it all hits are noise. GateLook is how many of the most
	// relevant hits are considered.
	Gate     float64
	GateLook int
	// FilesWeight is how much more a word in a file list counts than one in
	// title or body: related tasks mainly share files.
	FilesWeight float64
	// GoneWeight multiplies entries that were undone or have lost their commits: they
	// may be wrong by now, but "we tried that" is worth knowing.
	GoneWeight float64
	// ImportanceSpan is how much importance 1 adds to a score (0.2: 20 %);
	// it orders equals and does not beat relevance.
	ImportanceSpan float64
	// SharedWeight multiplies text that was shared by others whom the user does not trust.
	SharedWeight float64
	// IncludeWeight multiplies included files, which say how things are, not
	// what was done. IncludeShare is the share of the hits of a gated
	// query that may come from them.
	IncludeWeight, IncludeShare float64
	// ToolShare is the share of the hits of a gated search that agents may have
	// stored through tools, so that a flood of such texts leaves room for the rest.
	ToolShare float64
	// PinnedWeight multiplies pinned text, and MEMORY.md.
	PinnedWeight float64
	// DatedWeight multiplies text of the day, week or month that the query
	// names. For such a query that text has no decay.
	DatedWeight float64
	// UselessWeight multiplies an entry once for every judgement
	// that it was useless for a task like the query.
	UselessWeight float64
	// QueryRunes is how much of a long query counts after its first line: a
	// whole prompt as a query ruins recall.
	QueryRunes int
	// Scored is how many chunks one query scores. The rarest terms are used
	// as long as their chunks fit; a single commoner term uses only its newest
	// chunks. This bounds a search: BM25 costs about 1.4 µs a chunk, and finding
	// the words of a chunk costs a tenth of that.
	Scored int
	// Promising is the least number of chunks that BM25 scores, of those that contain
	// the most of the query's mass.
	Promising int
	// Candidates is how many of the best are examined closely.
	Candidates int
	// Nearest is how many of the nearest in meaning are candidates too, and
	// NearFloor the cosine that a text without a word of the query needs.
	Nearest   int
	NearFloor float64
	// SpreadWeight scales the part of a score from unseen paths: their sum, divided
	// by the power SpreadShare of their number.
	// QuestionSpread replaces SpreadWeight for a question: a question is about a subject,
	// while a task is about the files it will touch.
	SpreadWeight   float64
	QuestionSpread float64
	SpreadShare    float64
	// LeastChance is the least chance of being useful for a hit of a prompt.
	// LeastShare is the least share of the best hit's chance.
	LeastChance float64
	LeastShare  float64
}

// Default returns the constants that measured best.
//
// hit@10paths and hit@3, the means over five public histories (1,202 tasks) with
// the local embedder, the contents of files and the weights of files.Default,
// were 0.894 and 0.854 with these, and with one of them changed:
//
//	HalfLife       30 d 0.891 0.855 · 180 d 0.895 0.859
//	Floor           0.4 0.892 0.852 ·   0.6 0.893 0.855
//	FilesWeight       1 0.894 0.850 ·     3 0.897 0.856
//	Candidates       50 0.892 0.854 ·   150 0.893 0.854
//	SpreadWeight      2 0.890 0.857 ·     6 0.895 0.856
//	SpreadShare    0.75 0.895 0.863, but 8.5 paths named in place of 7.8 · 0.85 0.893 0.847
//
// Nearest (30 to 100) and Promising (100 to 400) move nothing. Without vectors it
// is 0.895 and 0.854. On the questions in testdata/search HalfLife 30 d loses
// 0.04 of recall@1. SpreadWeight 2 gains 0.015 of it and 6 loses as much, because
// a task and a question need slightly different orders. QuestionSpread exists
// for that reason.
//
// Gate: see Knowledge. DatedWeight (1 to 5) was chosen on those questions,
// where 7 ask so. ImportanceSpan and PinnedWeight move only the questions:
// without the first recall@5 is 0.014 lower, without the second 0.007.
// NearFloor 0 gains 0.004 here, and answers nonsense with the 50 nearest texts.
// No test set measures GoneWeight, IncludeWeight, IncludeShare and UselessWeight.
// Each follows a user's wish.
//
// These were taken out, as no figure of the histories moved by more than 0.001
// and none of the questions by more than 0.002: a little more weight for
// entries of today and yesterday, a little less for a corrected word, and a share
// of the best evidence that each hit had to hold.
//
// Promising saves time: with all chunks scored, a search of 10,000 takes 9.0
// instead of 7.2 ms of the processor, of 100,000 23.5 instead of 19.4.
func Default() Ranking {
	return Ranking{
		HalfLife: 90 * 24 * time.Hour, Floor: 0.5,
		Gate: 0.45, GateLook: 10,
		FilesWeight: 2, QueryRunes: 600,
		GoneWeight: 0.7, ImportanceSpan: 0.2, PinnedWeight: 1.1, DatedWeight: 1.5, UselessWeight: 0.5,
		SharedWeight: 0.9, IncludeWeight: 0.7, IncludeShare: 0.4, ToolShare: 0.6,
		Scored: 10000, Promising: 400, Candidates: 100, Nearest: 50, NearFloor: 0.2,
		SpreadWeight: 4, QuestionSpread: 1, SpreadShare: 0.8,
		LeastChance: 0.07, LeastShare: 0.125,
	}
}
