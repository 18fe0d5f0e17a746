package main

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"agentflow/embed"
	"agentflow/eval"
	"agentflow/eval/past"
	"agentflow/index"
	"agentflow/memory"
)

// The kinds of tasks.
const (
	own      = "own"      // a commit of the history
	foreign  = "foreign"  // a subject of another history
	answered = "answered" // a question with an answer
	none     = "none"     // and one without
)

var kinds = []string{own, foreign, answered, none}

// task is what was asked, with the hits that pass the gate.
type task struct {
	set  string // the history, or a fifth of the questions
	kind string
	hits []hit
}

type hit struct {
	x      [len(signals)]float64
	right  bool
	tokens int
	chance float64 // by weights that were fitted without its set
}

// signals are what the chance of a hit is made of.
var signals = [...]string{"bias", "evidence", "share", "files", "named", "pathless"}

// everyHit is the ranking in use, but that every hit past the gate is shown.
func everyHit() index.Ranking {
	r := index.DefaultRanking()
	r.LeastChance, r.LeastShare = 0, 0
	return r
}

// most is how many hits a prompt has.
const most = 5

func newTask(set, kind string, hits []memory.Hit, right func(memory.Hit) bool) task {
	t := task{set: set, kind: kind}
	best := 0.0
	for _, h := range hits {
		best = max(best, h.Explain.Evidence)
	}
	for _, h := range hits {
		e := h.Explain
		x := [len(signals)]float64{1, e.Evidence, e.Evidence / max(best, 1e-9), math.Log(e.Likely + 0.005)}
		if len(e.Named) > 0 {
			x[4] = 1
		}
		if e.Likely == 0 {
			x[5] = 1
		}
		t.hits = append(t.hits, hit{x: x, right: right(h), tokens: memory.Tokens(h.Text)})
	}
	return t
}

// recorder asks all tasks.
type recorder struct {
	histories []eval.History
	objects   map[string]string // git directories, by the names of histories
	embedder  embed.Embedder
	tasks     []task
}

func (r *recorder) record(ctx context.Context) ([]task, error) {
	for _, h := range r.histories {
		touched := map[string][]string{}
		for _, c := range h.Commits {
			for _, f := range c.Files {
				touched[c.ID] = append(touched[c.ID], f.Path, f.OldPath)
			}
		}
		m := &replayed{recorder: r, history: h}
		_, err := eval.Cochange(ctx, []eval.History{h}, eval.CochangeOptions{
			Open: m.open,
			Asked: func(_ string, targets map[string]bool) {
				right := func(h memory.Hit) bool {
					return slices.ContainsFunc(h.Commits, func(id string) bool {
						return slices.ContainsFunc(touched[id], func(path string) bool { return targets[path] })
					})
				}
				r.tasks = append(r.tasks, newTask(h.Name, own, m.hits, right))
			},
		})
		if err != nil {
			return nil, err
		}
	}
	return r.tasks, r.askQuestions(ctx)
}

// replayed is an index over a growing history, which is asked the subjects of the
// others at its end.
type replayed struct {
	*recorder
	history eval.History
	db      *index.DB
	dir     string
	past    *past.Files
	hits    []memory.Hit
}

func (m *replayed) open(ctx context.Context, dir, history string) (eval.Index, error) {
	m.dir, m.past = dir, past.Open(m.objects[history])
	var err error
	m.db, err = index.Open(ctx, "", index.Options{Embedder: m.embedder, Contents: m.past.Find, Ranking: everyHit()})
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

// Search implements eval.Index. It asks as a prompt does.
func (m *replayed) Search(ctx context.Context, q memory.Query) ([]memory.Hit, []memory.LikelyFile, error) {
	q.Limit, q.Gate = most, true
	a, err := m.db.Ask(ctx, q)
	m.hits = a.Hits
	return a.Hits, a.Files, err
}

// Subjects of another history that are asked: so many, each so many commits apart.
const (
	foreignEach  = 30
	foreignApart = 7
)

// Close implements eval.Index.
func (m *replayed) Close() error {
	last := m.history.Commits[len(m.history.Commits)-1].Time
	for _, other := range m.histories {
		for i := range foreignEach {
			if other.Name == m.history.Name {
				break
			}
			subject := other.Commits[max(0, len(other.Commits)-1-i*foreignApart)].Subject
			a, err := m.db.Ask(context.Background(), memory.Query{Text: subject, Now: last, Limit: most, Gate: true, Task: true})
			if err != nil {
				return err
			}
			m.tasks = append(m.tasks, newTask(m.history.Name, foreign, a.Hits, func(memory.Hit) bool { return false }))
		}
	}
	return m.db.Close()
}

// searchSet is the memory of the questions.
const searchSet = "testdata/search/"

func (r *recorder) askQuestions(ctx context.Context) error {
	questions, err := eval.ReadQuestions(searchSet + "queries.jsonl")
	if err != nil {
		return err
	}
	db, err := index.Open(ctx, "", index.Options{Embedder: r.embedder, Ranking: everyHit()})
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.Sync(ctx, index.Source{Dir: searchSet + "memory", Prefix: "memory/"}); err != nil {
		return err
	}
	for i, q := range questions {
		a, err := db.Ask(ctx, memory.Query{Text: q.Text, Now: q.Now, Filter: q.Filter, Limit: most, Gate: true, Task: true})
		if err != nil {
			return err
		}
		kind := answered
		if len(q.Answers) == 0 {
			kind = none
		}
		right := func(h memory.Hit) bool {
			return slices.ContainsFunc(q.Answers, func(answer string) bool { return answers(h, answer) })
		}
		r.tasks = append(r.tasks, newTask("questions "+strconv.Itoa(i%5), kind, a.Hits, right))
	}
	return nil
}

// answers says whether a hit is an answer: the id of an entry, or FILE:LINE.
func answers(h memory.Hit, answer string) bool {
	file, line, _ := strings.Cut(answer, ":")
	n, err := strconv.Atoi(line)
	return h.EntryID == answer || h.Source == answer || err == nil && h.Path == "memory/"+file && h.StartLine <= n && n <= h.EndLine
}
