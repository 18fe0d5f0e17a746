// Package eval measures how well a search of this memory finds entries and files. Cochange replays git histories
// in temporary folders, and Queries asks questions that have known answers. Both use the index and the ranking
// of production, through package eval, and change no memory. The results also have forms for people (Table) and
// programs (Object).
package eval

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"agentflow/app"
	"agentflow/app/embedding"
	"agentflow/embed"
	"agentflow/gitwatch/history"
	"agentflow/index"
	"agentflow/internal/config"
	"agentflow/internal/eval"
	"agentflow/internal/eval/past"
	"agentflow/internal/jsonselect"
	"agentflow/internal/lists"
	"agentflow/internal/plural"
	"agentflow/memory/retrieval"
)

// CochangeRequest says on which histories to measure recall, and how. Paths are absolute or
// relative to the folder of the process, except Repository, which is relative to the folder of the
// Memory.
type CochangeRequest struct {
	Repository  string   // a git repository; empty: the one of the Memory
	Logs        []string // histories in files of JSON Lines, used instead of a repository
	Objects     []string // empty, or for each of Logs the git directory that holds its commits, in the same order
	Provider    string   // provider of vectors; empty: the one of the user's settings
	Last        int      // how many of the newest commits to query, at least 1
	K           int      // how many of the first entries count, at least 1
	Consolidate bool     // consolidate memory as it grows
}

// CochangeResult says how well memory found the files that commits changed, for each history.
type CochangeResult struct {
	Histories []EvaluatedHistory
	Mean      eval.CochangeFigures
	Degraded  []string
}

// EvaluatedHistory is one history with its figures.
type EvaluatedHistory struct {
	Name string
	eval.CochangeFigures
}

// Cochange replays git histories in temporary folders. Memory grows commit by commit, and is
// queried with the subject of each of the last commits.
func Cochange(ctx context.Context, m *app.Memory, req CochangeRequest) (result CochangeResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&result.Degraded, &err)
	if req.Last < 1 || req.K < 1 {
		return result, app.Usagef("--last and --k are at least 1")
	}
	if req.Repository != "" && len(req.Logs) > 0 {
		return result, app.Usagef("--repo and --log do not go together")
	}
	if n := len(req.Objects); n > 0 && n != len(req.Logs) {
		return result, app.Usagef("--objects is given as often as --log, in the same order")
	}
	e, err := embedding.Named(o, req.Provider)
	if err != nil {
		return result, err
	}
	histories, err := histories(ctx, o, req)
	if err != nil {
		return result, err
	}
	open := measuring(e, req.objects(histories))
	if req.Consolidate {
		open = consolidating(open)
	}
	bar := app.NewBar(o, "measuring")
	defer bar.End()
	list, err := eval.Cochange(ctx, histories, eval.CochangeOptions{
		Open: open, Last: req.Last, K: req.K, Parallel: runtime.GOMAXPROCS(0), Progress: bar.Commits,
	})
	if err != nil {
		return result, err
	}
	for i, figures := range list {
		result.Histories = append(result.Histories, EvaluatedHistory{histories[i].Name, figures})
	}
	result.Mean = eval.MeanCochange(list)
	return result, nil
}

// objects returns the git directories of histories that are read from logs, by name of the history.
func (req CochangeRequest) objects(histories []eval.History) map[string]string {
	of := map[string]string{}
	for i, dir := range req.Objects {
		of[histories[i].Name] = dir
	}
	return of
}

func histories(ctx context.Context, o *app.Operation, req CochangeRequest) ([]eval.History, error) {
	if len(req.Logs) == 0 {
		h, err := repositoryHistory(ctx, o, req.Repository)
		return []eval.History{h}, err
	}
	var out []eval.History
	for _, file := range req.Logs {
		h, err := eval.ReadLog(file)
		if err != nil {
			return nil, err
		}
		out = append(out, h)
	}
	return out, nil
}

// repositoryHistory reads the history of the repository at path. An empty path means the repository
// of the Memory.
func repositoryHistory(ctx context.Context, o *app.Operation, path string) (eval.History, error) {
	if path == "" {
		place, _, err := o.Place()
		if errors.Is(err, config.ErrNoPlace) || err == nil && place.CommonDir == "" {
			return eval.History{}, &app.Error{Kind: app.KindNoPlace, Err: errors.New("reading a history: no git repository here"),
				Hint: "name one with --repo PATH, or a log of commits with --log FILE"}
		}
		if err != nil {
			return eval.History{}, err
		}
		if path = place.Worktree; path == "" {
			path = place.CommonDir
		}
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(o.Dir, path)
	}
	h := eval.History{Name: strings.TrimSuffix(filepath.Base(path), ".git")}
	for c, err := range history.All(ctx, path) {
		if err != nil {
			return h, err
		}
		if c.Time.IsZero() {
			continue // memory gets no entry for such a commit either
		}
		h.Add(eval.Commit{ID: c.ID, Time: c.Time, Subject: c.Subject, Body: c.Body, Files: c.Files})
	}
	return h, nil
}

// QueriesRequest selects the questions and the memory to query. Paths are absolute or relative
// to the folder of the process.
type QueriesRequest struct {
	Questions string // path of a file of JSON Lines
	Folder    string // folder of Markdown; empty: the memory of this repository
	Provider  string // provider of vectors; empty: the one of the user's settings
	K         int    // report recall at K hits too, next to 1 and 10; at least 1
}

// QueriesResult says how well the answers were found.
type QueriesResult struct {
	eval.QueryFigures
	Degraded []string
}

// Queries queries memory with questions that have known answers. It changes nothing.
func Queries(ctx context.Context, m *app.Memory, req QueriesRequest) (result QueriesResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&result.Degraded, &err)
	if req.K < 1 {
		return result, app.Usagef("--k is at least 1")
	}
	e, err := embedding.Named(o, req.Provider)
	if err != nil {
		return result, err
	}
	questions, err := eval.ReadQuestions(req.Questions)
	if err != nil {
		return result, err
	}
	folder := req.Folder
	if folder == "" {
		s, err := o.OpenToRead(ctx)
		if err != nil {
			return result, err
		}
		folder = s.Memory()
	}
	bar := app.NewBar(o, "asking")
	defer bar.End()
	result.QueryFigures, err = eval.Queries(ctx, folder, questions, eval.QueryOptions{Open: measuring(e, nil), K: req.K,
		Progress: func(done, total int) { bar.Count("questions", done, total) }})
	return result, err
}

// measured is an in-memory index of one folder, as an eval.Index.
type measured struct {
	db   *index.DB
	dir  string
	past *past.Files // nil: the contents of files are not known
}

// measuring returns an opener of indexes that get their vectors from e; nil means keywords only.
// Chunking and ranking use the defaults, not the settings. objects maps names of histories to git
// directories.
func measuring(e embed.Embedder, objects map[string]string) eval.Opener {
	return func(ctx context.Context, dir, history string) (eval.Index, error) {
		o := index.Options{Embedder: e}
		m := measured{dir: dir}
		if git := objects[history]; git != "" {
			m.past = past.Open(git)
			o.Contents = m.past.Find
		}
		var err error
		m.db, err = index.Open(ctx, "", o)
		return m, err
	}
}

// Sync updates the index and waits for every vector.
func (m measured) Sync(ctx context.Context, before string) error {
	if m.past != nil && before != "" {
		if err := m.past.Before(ctx, before); err != nil {
			return err
		}
	}
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

func (m measured) Search(ctx context.Context, q retrieval.Query) ([]retrieval.Hit, []retrieval.LikelyFile, error) {
	answer, err := m.db.Ask(ctx, q)
	return answer.Hits, answer.Files, err
}

func (m measured) Close() error { return m.db.Close() }

// Object returns the result as JSON. k is the K of the request.
func (result CochangeResult) Object(k int) jsonselect.Object {
	repositories := make([]jsonselect.Object, len(result.Histories))
	for i, h := range result.Histories {
		repositories[i] = with(jsonselect.Object{{Name: "name", Value: h.Name}, {Name: "queries", Value: h.Queries}}, h.Named(k))
		repositories[i] = append(repositories[i], filesMember(h.Files))
	}
	mean := append(with(nil, result.Mean.Named(k)), filesMember(result.Mean.Files))
	return jsonselect.Object{{Name: "mean", Value: mean}, {Name: "repositories", Value: repositories}}
}

// filesMember returns the figures of the list of likely files.
func filesMember(f eval.ListFigures) jsonselect.Member {
	return jsonselect.Member{Name: "files", Value: with(nil, f.Named())}
}

// Table returns the result as rows for people. The first row holds the headings.
func (result CochangeResult) Table(k int) [][]string {
	rows := [][]string{{"repository", "queries", "hit@10paths", "path-recall@10", fmt.Sprintf("hit@%d", k),
		fmt.Sprintf("file-recall@%d", k), "MRR", "paths named", "files hit@10", "recall@10", "precision@5", "shown right", "shown"}}
	for _, h := range result.Histories {
		rows = append(rows, cochangeRow(h.Name, fmt.Sprint(h.Queries), h.CochangeFigures))
	}
	if len(result.Histories) > 1 {
		rows = append(rows, cochangeRow("mean", "", result.Mean))
	}
	return rows
}

func cochangeRow(name, queries string, f eval.CochangeFigures) []string {
	row := []string{app.CleanLine(name), queries}
	for _, share := range []float64{f.HitAtPaths, f.PathRecall, f.HitAtK, f.FileRecall, f.MRR} {
		row = append(row, fmt.Sprintf("%.3f", share))
	}
	row = append(row, fmt.Sprintf("%.1f", f.PathsNamed))
	for _, figure := range f.Files.Named() {
		row = append(row, fmt.Sprintf("%.3f", figure.Value))
	}
	return row
}

// Object returns the result as JSON.
func (result QueriesResult) Object() jsonselect.Object {
	f := result.QueryFigures
	return jsonselect.Object{
		{Name: "answered", Value: f.Answered}, {Name: "gated", Value: with(nil, f.Gated.Named())}, {Name: "ungated", Value: with(nil, f.Ungated.Named())},
		{Name: "unanswered", Value: f.Unanswered}, {Name: "false_injection_rate", Value: f.FalseInjection}, {Name: "injected_hits", Value: f.Injected},
	}
}

// Table returns the figures of the questions with an answer as rows for people. It returns nil if
// there are no such questions.
func (result QueriesResult) Table() [][]string {
	f := result.QueryFigures
	if f.Answered == 0 {
		return nil
	}
	head := []string{plural.Count(f.Answered, "question") + " with an answer"}
	for _, r := range f.Gated.Recall {
		head = append(head, fmt.Sprintf("recall@%d", r.K))
	}
	return [][]string{
		append(head, "MRR", "nDCG@10"),
		figuresRow("past the gate", f.Gated.Named()),
		figuresRow("without the gate", f.Ungated.Named()),
	}
}

func figuresRow(name string, figures []eval.Figure) []string {
	return append([]string{name}, lists.Mapped(figures, func(f eval.Figure) string { return fmt.Sprintf("%.3f", f.Value) })...)
}

func with(o jsonselect.Object, figures []eval.Figure) jsonselect.Object {
	for _, f := range figures {
		o = append(o, jsonselect.Member{Name: f.Name, Value: f.Value})
	}
	return o
}
