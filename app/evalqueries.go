package app

import (
	"context"
	"fmt"

	"agentflow/internal/plural"

	"agentflow/eval"

	"github.com/spf13/cobra"
)

// queriesFlags are those of eval queries.
type queriesFlags struct {
	dir    string
	k      int
	embed  string
	asJSON bool
}

func (a *operation) evalQueriesCommand() *cobra.Command {
	var o queriesFlags
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
			f, err := a.askAll(cmd.Context(), args[0], o)
			if err != nil {
				return err
			}
			if o.asJSON {
				return a.json(queriesObject(f))
			}
			a.printQueries(f)
			return nil
		},
	}
	cmd.Flags().StringVar(&o.dir, "memory", "", "a `folder` of Markdown to ask (the memory here)")
	cmd.Flags().IntVar(&o.k, "k", 5, "show recall at this many hits, beside 1 and 10")
	embedFlag(cmd, &o.embed)
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "one JSON object")
	return cmd
}

// askAll asks the questions in file of a memory, by default the one of the
// place the command is run in.
func (a *operation) askAll(ctx context.Context, file string, o queriesFlags) (f eval.QueryFigures, err error) {
	if o.k < 1 {
		return f, usagef("--k is at least 1")
	}
	e, err := a.embedderNamed(o.embed)
	if err != nil {
		return f, err
	}
	questions, err := eval.ReadQuestions(file)
	if err != nil {
		return f, err
	}
	if o.dir == "" {
		s, err := a.reading(ctx)
		if err != nil {
			return f, err
		}
		o.dir = s.Memory()
	}
	progress, done := a.counting("measuring", "questions")
	defer done()
	return eval.Queries(ctx, o.dir, questions, eval.QueryOptions{Open: measuring(e), K: o.k, Progress: progress})
}

func queriesObject(f eval.QueryFigures) object {
	return object{
		{"answered", f.Answered}, {"gated", object{}.with(f.Gated.Named())}, {"ungated", object{}.with(f.Ungated.Named())},
		{"unanswered", f.Unanswered}, {"false_injection_rate", f.FalseInjection}, {"injected_hits", f.Injected},
	}
}

func (a *operation) printQueries(f eval.QueryFigures) {
	if f.Answered > 0 {
		head := []string{plural.Count(f.Answered, "question") + " with an answer"}
		for _, r := range f.Gated.Recall {
			head = append(head, fmt.Sprintf("recall@%d", r.K))
		}
		a.printTable([][]string{
			append(head, "MRR", "nDCG@10"),
			shares("past the gate", f.Gated.Named()),
			shares("without the gate", f.Ungated.Named()),
		})
	}
	if f.Unanswered > 0 {
		a.printf("%s without: something is injected for %.1f %%, %.2f hits on average\n",
			plural.Count(f.Unanswered, "question"), 100*f.FalseInjection, f.Injected)
	}
}

func shares(name string, figures []eval.Figure) []string {
	row := []string{name}
	for _, f := range figures {
		row = append(row, fmt.Sprintf("%.3f", f.Value))
	}
	return row
}
