package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"agentflow/app"
	"agentflow/eval"
	"agentflow/internal/plural"

	"github.com/spf13/cobra"
)

func (c *cli) evalCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "eval",
		Short: "Measure how good recall is",
		Long: `Eval measures recall with the rendering, index and ranking of every day, in
folders of its own: it changes nothing. 'eval cochange' replays a git history,
'eval queries' asks questions whose answers are known.`,
		Args: exactly(0, "a command: cochange or queries"),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(c.evalCochangeCommand(), c.evalQueriesCommand())
	return cmd
}

// embedFlag lets a measure be taken with another embedder.
func embedFlag(cmd *cobra.Command, provider *string) {
	cmd.Flags().StringVar(provider, "embed", "", "take vectors from this `provider`: none, local, … (as in your settings)")
}

func (c *cli) evalCochangeCommand() *cobra.Command {
	var req app.EvalCochangeRequest
	var asJSON bool
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
		RunE: func(cmd *cobra.Command, _ []string) error {
			result, err := c.memory.EvalCochange(cmd.Context(), req)
			switch {
			case err != nil:
				return err
			case asJSON:
				return c.json(cochangeObject(result, req.K))
			}
			c.printTable(cochangeTable(result, req.K))
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&req.Repository, "repo", "", "the git repository at this `path` (the one here)")
	flags.StringArrayVar(&req.Logs, "log", nil, "a history in a `file` of JSON Lines, instead of a repository; may be given again")
	flags.IntVar(&req.Last, "last", 300, "ask for this many of the newest commits, never for the first 100")
	flags.IntVar(&req.K, "k", 3, "entries that count as looked at")
	embedFlag(cmd, &req.Provider)
	flags.BoolVar(&req.Consolidate, "consolidate", false, "consolidate memory as it grows, every 20 questions")
	flags.BoolVar(&asJSON, "json", false, "one JSON object: mean, repositories")
	return cmd
}

func cochangeObject(result app.EvalCochangeResult, k int) object {
	repositories := make([]object, len(result.Histories))
	for i, h := range result.Histories {
		repositories[i] = object{{"name", h.Name}, {"queries", h.Queries}}.with(h.Named(k))
	}
	return object{{"mean", object{}.with(result.Mean.Named(k))}, {"repositories", repositories}}
}

func cochangeTable(result app.EvalCochangeResult, k int) [][]string {
	rows := [][]string{{"repository", "queries", "hit@10paths", "path-recall@10", fmt.Sprintf("hit@%d", k),
		fmt.Sprintf("file-recall@%d", k), "MRR", "paths named"}}
	for _, h := range result.Histories {
		rows = append(rows, cochangeRow(h.Name, fmt.Sprint(h.Queries), h.CochangeFigures))
	}
	if len(result.Histories) > 1 {
		rows = append(rows, cochangeRow("mean", "", result.Mean))
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

func (c *cli) evalQueriesCommand() *cobra.Command {
	var req app.EvalQueriesRequest
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "queries [flags] FILE",
		Short: "Ask questions whose answers are known",
		Long: `Queries asks the questions in a file of JSON Lines, and looks where among the
hits their answers are. A line is a question:

  {"question": "who tags releases?", "answers": ["notes/release.md:12"]}

An answer is the id of an entry or a line of a file in the memory folder, with
or without memory/ in front; a question without an answer in memory has the
answers []. "now" (RFC 3339) is the time a question is asked at: by default
that of the newest entry, and a line with nothing else sets it for the lines
after it. "filter" may hold since, until, kind, type, tag, path and branch.`,
		Example: `  agentflow eval queries questions.jsonl
  agentflow eval queries questions.jsonl --memory notes --json`,
		Args: exactly(1, "a file of questions"),
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Questions = args[0]
			result, err := c.memory.EvalQueries(cmd.Context(), req)
			switch {
			case err != nil:
				return err
			case asJSON:
				return c.json(queriesObject(result.QueryFigures))
			}
			c.printQueries(result.QueryFigures)
			return nil
		},
	}
	cmd.Flags().StringVar(&req.Folder, "memory", "", "a `folder` of Markdown to ask (the memory here)")
	cmd.Flags().IntVar(&req.K, "k", 5, "show recall at this many hits, beside 1 and 10")
	embedFlag(cmd, &req.Provider)
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object")
	return cmd
}

func queriesObject(f eval.QueryFigures) object {
	return object{
		{"answered", f.Answered}, {"gated", object{}.with(f.Gated.Named())}, {"ungated", object{}.with(f.Ungated.Named())},
		{"unanswered", f.Unanswered}, {"false_injection_rate", f.FalseInjection}, {"injected_hits", f.Injected},
	}
}

func (c *cli) printQueries(f eval.QueryFigures) {
	if f.Answered > 0 {
		head := []string{plural.Count(f.Answered, "question") + " with an answer"}
		for _, r := range f.Gated.Recall {
			head = append(head, fmt.Sprintf("recall@%d", r.K))
		}
		c.printTable([][]string{
			append(head, "MRR", "nDCG@10"),
			figuresRow("past the gate", f.Gated.Named()),
			figuresRow("without the gate", f.Ungated.Named()),
		})
	}
	if f.Unanswered > 0 {
		c.printf("%s without: something is injected for %.1f %%, %.2f hits on average\n",
			plural.Count(f.Unanswered, "question"), 100*f.FalseInjection, f.Injected)
	}
}

func figuresRow(name string, figures []eval.Figure) []string {
	row := []string{name}
	for _, f := range figures {
		row = append(row, fmt.Sprintf("%.3f", f.Value))
	}
	return row
}

// object is a JSON object whose names come in an order of its own: those of
// figures depend on flags.
type object []member

type member struct {
	name  string
	value any
}

func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// with adds figures to an object.
func (o object) with(figures []eval.Figure) object {
	for _, f := range figures {
		o = append(o, member{f.Name, f.Value})
	}
	return o
}

// printTable prints rows in columns: the first to the left, numbers to the
// right.
func (c *cli) printTable(rows [][]string) {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for n, row := range rows {
		line := row[0] + pad(row[0], widths[0])
		for i, cell := range row[1:] {
			line += "  " + pad(cell, widths[i+1]) + cell
		}
		if n == 0 {
			line = c.bold(line)
		}
		c.printf("%s\n", line)
	}
}

func pad(cell string, width int) string {
	return strings.Repeat(" ", width-utf8.RuneCountInString(cell))
}
