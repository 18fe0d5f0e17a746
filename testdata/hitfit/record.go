package main

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"agentflow/index"
	"agentflow/index/rank"
	"agentflow/internal/eval"
	"agentflow/internal/eval/past"
	"agentflow/memory"
	"agentflow/memory/retrieval"
	"agentflow/testdata/fitting"
)

// The kinds of tasks.
const (
	own      = "own"      // a commit of the history
	foreign  = "foreign"  // a subject of another history
	answered = "answered" // a question with an answer
	none     = "none"     // and one without
)

var kinds = []string{own, foreign, answered, none}

// task is what was asked, with its best hits, whether they pass the gate or not.
type task struct {
	set      string // the history, or a fifth of the questions
	kind     string
	contents bool // the contents of files were known
	asks     bool // it names a day, or speaks to the agent: no model decides
	known    example
	hits     []hit
}

// example is the signals of one of the models, and the chance by weights that were
// fitted without its set.
type example struct {
	x      []float64
	right  bool
	chance float64
}

type hit struct {
	example
	named  bool // it holds a path or identifier of the task
	tokens int
}

// The names of the signals of rank.Knowledge and of hits.
var (
	knownSignals  = []string{"bias", "evidence", "file", "contents", "commonplace"}
	usefulSignals = []string{"bias", "evidence", "share", "files", "named", "pathless"}
)

// ungated is the ranking in use, but that every hit is shown.
func ungated() index.Ranking {
	r := index.DefaultRanking()
	r.Gate, r.LeastChance, r.LeastShare = 0, 0, 0
	return r
}

// most is how many hits a prompt has.
const most = 5

// asker asks one index.
type asker struct {
	db   *index.DB
	last rank.Knowledge // of the last question
	told bool           // that there is one
}

func openAsker(ctx context.Context, o index.Options) (a *asker, err error) {
	a = &asker{}
	o.Ranking, o.Known = ungated(), func(k rank.Knowledge) { a.last, a.told = k, true }
	a.db, err = index.Open(ctx, "", o)
	return a, err
}

// ask asks as a prompt does.
func (a *asker) ask(ctx context.Context, q retrieval.Query) (index.Answer, error) {
	a.told = false
	q.Limit, q.Gate, q.Task = most, true, true
	return a.db.Ask(ctx, q)
}

// task makes a task of what was asked last.
func (a *asker) task(set, kind string, hits []retrieval.Hit, right func(retrieval.Hit) bool) task {
	x := a.last.Signals()
	t := task{set: set, kind: kind, contents: a.last.Contents, asks: !a.told || a.last.Chatter, known: example{x: x[:]}}
	if a.last.Chatter {
		hits = nil
	}
	best := 0.0
	for _, h := range hits {
		best = max(best, h.Explain.Evidence)
	}
	for _, h := range hits {
		e := h.Explain
		x := []float64{1, e.Evidence, e.Evidence / max(best, 1e-9), math.Log(e.Likely + 0.005), 0, 0}
		if len(e.Named) > 0 {
			x[4] = 1
		}
		if e.Likely == 0 {
			x[5] = 1
		}
		one := hit{example: example{x: x, right: right(h)}, named: len(e.Named) > 0, tokens: memory.Tokens(h.Text)}
		t.hits = append(t.hits, one)
		t.known.right = t.known.right || one.right
	}
	return t
}

// recorder asks all tasks.
type recorder struct {
	fitting.Corpus
	contents bool // of files are known
	tasks    []task
}

// record asks of every history, with the contents of files and without, and the
// questions.
func (r *recorder) record(ctx context.Context) ([]task, error) {
	for _, r.contents = range []bool{true, false} {
		for _, h := range r.Histories {
			if err := r.askHistory(ctx, h); err != nil {
				return nil, err
			}
		}
	}
	return r.tasks, r.askQuestions(ctx)
}

func (r *recorder) askHistory(ctx context.Context, h eval.History) error {
	touched := map[string][]string{}
	for _, c := range h.Commits {
		for _, f := range c.Files {
			touched[c.ID] = append(touched[c.ID], f.Path, f.OldPath)
		}
	}
	m := &replayed{recorder: r, history: h}
	_, err := eval.Cochange(ctx, []eval.History{h}, eval.CochangeOptions{
		Open: m.open,
		Asked: func(_ string, targets map[string]bool, _ []string) {
			right := func(h retrieval.Hit) bool {
				return slices.ContainsFunc(h.Commits, func(id string) bool {
					return slices.ContainsFunc(touched[id], func(path string) bool { return targets[path] })
				})
			}
			r.tasks = append(r.tasks, m.task(h.Name, own, m.hits, right))
		},
	})
	return err
}

// replayed is an index over a growing history, which is asked the subjects of the
// others at its end.
type replayed struct {
	*recorder
	*asker
	history eval.History
	dir     string
	past    *past.Files
	hits    []retrieval.Hit
}

func (m *replayed) open(ctx context.Context, dir, history string) (eval.Index, error) {
	m.dir, m.past = dir, past.Open(m.Objects[history])
	o := index.Options{Embedder: m.Embedder}
	if m.contents {
		o.Contents = m.past.Find
	}
	var err error
	m.asker, err = openAsker(ctx, o)
	return m, err
}

// Sync implements eval.Index.
func (m *replayed) Sync(ctx context.Context, before string) error {
	if err := m.past.Before(ctx, before); err != nil {
		return err
	}
	_, err := m.db.Sync(ctx, index.Source{Dir: m.dir, Prefix: "memory/"})
	return err
}

// Search implements eval.Index.
func (m *replayed) Search(ctx context.Context, q retrieval.Query) ([]retrieval.Hit, []retrieval.LikelyFile, error) {
	a, err := m.ask(ctx, q)
	m.hits = a.Hits
	return a.Hits, a.Files, err
}

// Close implements eval.Index.
func (m *replayed) Close() error {
	ctx, last := context.Background(), m.history.Commits[len(m.history.Commits)-1].Time
	for _, other := range m.Histories {
		if other.Name == m.history.Name {
			continue
		}
		for _, subject := range subjects(other) {
			a, err := m.ask(ctx, retrieval.Query{Text: subject, Now: last})
			if err != nil {
				return err
			}
			m.tasks = append(m.tasks, m.task(m.history.Name, foreign, a.Hits, func(retrieval.Hit) bool { return false }))
		}
	}
	return m.db.Close()
}

// Subjects of another history that are asked: so many, each the newest of so many
// commits that was not asked yet.
const (
	foreignEach  = 30
	foreignApart = 7
)

func subjects(h eval.History) (list []string) {
	for end := len(h.Commits); end > 0 && len(list) < foreignEach; end -= foreignApart {
		for _, c := range slices.Backward(h.Commits[max(0, end-foreignApart):end]) {
			if !slices.Contains(list, c.Subject) {
				list = append(list, c.Subject)
				break
			}
		}
	}
	return list
}

// searchSet is the memory of the questions.
const searchSet = "testdata/search/"

func (r *recorder) askQuestions(ctx context.Context) error {
	questions, err := eval.ReadQuestions(searchSet + "queries.jsonl")
	if err != nil {
		return err
	}
	a, err := openAsker(ctx, index.Options{Embedder: r.Embedder})
	if err != nil {
		return err
	}
	defer a.db.Close()
	if _, err := a.db.Sync(ctx, index.Source{Dir: searchSet + "memory", Prefix: "memory/"}); err != nil {
		return err
	}
	for i, q := range questions {
		answer, err := a.ask(ctx, retrieval.Query{Text: q.Text, Now: q.Now, Filter: q.Filter})
		if err != nil {
			return err
		}
		kind := answered
		if len(q.Answers) == 0 {
			kind = none
		}
		right := func(h retrieval.Hit) bool {
			return slices.ContainsFunc(q.Answers, func(answer string) bool { return answers(h, answer) })
		}
		r.tasks = append(r.tasks, a.task("questions "+strconv.Itoa(i%5), kind, answer.Hits, right))
	}
	return nil
}

// answers says whether a hit is an answer: the id of an entry, or FILE:LINE.
func answers(h retrieval.Hit, answer string) bool {
	file, line, _ := strings.Cut(answer, ":")
	n, err := strconv.Atoi(line)
	return h.EntryID == answer || h.Source == answer || err == nil && h.Path == "memory/"+file && h.StartLine <= n && n <= h.EndLine
}
