package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"agentflow/config"
	"agentflow/eval"
	"agentflow/gitwatch/history"

	"github.com/spf13/cobra"
)

// cochangeFlags are those of eval cochange.
type cochangeFlags struct {
	repo    string
	logs    []string
	embed   string
	last, k int
	tend    bool
	asJSON  bool
}

func (a *operation) evalCochangeCommand() *cobra.Command {
	var o cochangeFlags
	cmd := &cobra.Command{
		Use:   "cochange [flags]",
		Short: "Replay a git history: does memory point at the right files?",
		Long: `Cochange lets memory grow commit by commit, as if each had been a run. For
each of the last commits it asks what is known for the commit's subject, with
nothing but earlier commits in memory, and looks whether the entries found
name the files that the commit touched.`,
		Example: `  agentflow eval cochange
  agentflow eval cochange --repo ~/src/project --last 100
  agentflow eval cochange --log a.jsonl --log b.jsonl --json`,
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.evalCochange(cmd.Context(), o) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.repo, "repo", "", "the git repository at this `path` (the one here)")
	flags.StringArrayVar(&o.logs, "log", nil, "a history in a `file` of JSON Lines, instead of a repository; may be given again")
	flags.IntVar(&o.last, "last", 300, "ask for this many of the newest commits, never for the first 100")
	flags.IntVar(&o.k, "k", 3, "entries that count as looked at")
	embedFlag(cmd, &o.embed)
	flags.BoolVar(&o.tend, "consolidate", false, "consolidate memory as it grows, every 20 questions")
	flags.BoolVar(&o.asJSON, "json", false, "one JSON object: mean, repositories")
	return cmd
}

func (a *operation) evalCochange(ctx context.Context, o cochangeFlags) error {
	if o.last < 1 || o.k < 1 {
		return usagef("--last and --k are at least 1")
	}
	if o.repo != "" && len(o.logs) > 0 {
		return usagef("--repo and --log do not go together")
	}
	e, err := a.embedderNamed(o.embed)
	if err != nil {
		return err
	}
	histories, err := a.histories(ctx, o)
	if err != nil {
		return err
	}
	open := measuring(e)
	if o.tend {
		open = tending(open)
	}
	progress, done := a.counting("measuring", "commits")
	list, err := eval.Cochange(ctx, histories, eval.CochangeOptions{
		Open: open, Last: o.last, K: o.k, Parallel: runtime.GOMAXPROCS(0), Progress: progress,
	})
	done()
	if err != nil {
		return err
	}
	if o.asJSON {
		return a.json(cochangeObject(histories, list, o.k))
	}
	a.printTable(cochangeTable(histories, list, o.k))
	return nil
}

func cochangeObject(histories []eval.History, list []eval.CochangeFigures, k int) object {
	repositories := make([]object, len(list))
	for i, f := range list {
		repositories[i] = object{{"name", histories[i].Name}, {"queries", f.Queries}}.with(f.Named(k))
	}
	return object{{"mean", object{}.with(eval.MeanCochange(list).Named(k))}, {"repositories", repositories}}
}

func cochangeTable(histories []eval.History, list []eval.CochangeFigures, k int) [][]string {
	rows := [][]string{{"repository", "queries", "hit@10paths", "path-recall@10", fmt.Sprintf("hit@%d", k),
		fmt.Sprintf("file-recall@%d", k), "MRR", "paths named"}}
	for i, f := range list {
		rows = append(rows, cochangeRow(histories[i].Name, fmt.Sprint(f.Queries), f))
	}
	if len(list) > 1 {
		rows = append(rows, cochangeRow("mean", "", eval.MeanCochange(list)))
	}
	return rows
}

func cochangeRow(name, queries string, f eval.CochangeFigures) []string {
	row := []string{cleanLine(name), queries}
	for _, share := range []float64{f.HitAtPaths, f.PathRecall, f.HitAtK, f.FileRecall, f.MRR} {
		row = append(row, fmt.Sprintf("%.3f", share))
	}
	return append(row, fmt.Sprintf("%.1f", f.PathsNamed))
}

// histories reads the logs or, without one, the repository.
func (a *operation) histories(ctx context.Context, o cochangeFlags) ([]eval.History, error) {
	if len(o.logs) == 0 {
		h, err := a.repositoryHistory(ctx, o.repo)
		return []eval.History{h}, err
	}
	var out []eval.History
	for _, file := range o.logs {
		h, err := eval.ReadLog(file)
		if err != nil {
			return nil, err
		}
		out = append(out, h)
	}
	return out, nil
}

// repositoryHistory reads the history of the repository at path; "" is the
// one the command is run in.
func (a *operation) repositoryHistory(ctx context.Context, path string) (eval.History, error) {
	if path == "" {
		place, _, err := a.here()
		if errors.Is(err, config.ErrNoPlace) || err == nil && place.CommonDir == "" {
			return eval.History{}, &Error{Kind: KindNoPlace, Err: errors.New("reading a history: no git repository here"),
				Hint: "name one with --repo PATH, or a log of commits with --log FILE"}
		}
		if err != nil {
			return eval.History{}, err
		}
		if path = place.Worktree; path == "" {
			path = place.CommonDir
		}
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return eval.History{}, err
	}
	h := eval.History{Name: strings.TrimSuffix(filepath.Base(path), ".git")}
	for c, err := range history.All(ctx, path, history.Options{}) {
		if err != nil {
			return h, err
		}
		h.Add(eval.Commit{ID: c.ID, Time: c.Time, Subject: c.Subject, Body: c.Body, Files: c.Files})
	}
	return h, nil
}
