package facts

import (
	"agentflow/app/eval"
	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/cliflag"
	"agentflow/internal/plural"
	"agentflow/internal/terminal"

	"github.com/spf13/cobra"
)

// Eval returns the command eval.
func Eval(c *cli.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "eval",
		Short: "Measure how good recall is",
		Long: `Eval measures recall with the usual rendering, index and ranking, in temporary
folders: it changes nothing. 'eval cochange' replays a git history, 'eval
queries' asks questions with known answers.`,
	}
	cmd.AddCommand(evalCochangeCommand(c), evalQueriesCommand(c))
	return cmd
}

// embedFlag adds the flag that selects another embedder for a measurement.
func embedFlag(cmd *cobra.Command, provider *string) {
	cmd.Flags().StringVar(provider, "embed", "", "take vectors from this `provider`: none, local, … (as in your settings)")
}

func evalCochangeCommand(c *cli.Env) *cobra.Command {
	var req eval.CochangeRequest
	cmd := c.WithJSON("one JSON object: mean, repositories", &cobra.Command{
		Use:   "cochange [flags]",
		Short: "Replay a git history: does memory point at the right files?",
		Long: `Cochange lets memory grow commit by commit, as if each had been a run. For each
of the last commits it asks for the commit's subject, with only earlier commits in
memory, and looks whether the entries found name the files that it touched.`,
		Example: `  agentflow eval cochange
  agentflow eval cochange --repo ~/src/project --last 100
  agentflow eval cochange --log a.jsonl --log b.jsonl --json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			result, err := eval.Cochange(cmd.Context(), c.Memory, req)
			return c.Result(err, result.Object(req.K), func() { printTable(c, result.Table(req.K)) })
		},
	})
	flags := cmd.Flags()
	flags.StringVar(&req.Repository, "repo", "", "the git repository at this `path` (the one here)")
	flags.StringArrayVar(&req.Logs, "log", nil, "a history in a `file` of JSON Lines, instead of a repository; may be given again")
	flags.StringArrayVar(&req.Objects, "objects", nil, "the git `folder` of a log's commits: what files held before a commit counts then; once for each --log")
	flags.IntVar(&req.Last, "last", 300, "ask for this many of the newest commits, never for the first 100")
	flags.IntVar(&req.K, "k", 3, "entries that count as looked at")
	embedFlag(cmd, &req.Provider)
	flags.BoolVar(&req.Consolidate, "consolidate", false, "consolidate memory as it grows, every 20 questions")
	return cmd
}

func evalQueriesCommand(c *cli.Env) *cobra.Command {
	var req eval.QueriesRequest
	cmd := c.WithJSON("one JSON object", &cobra.Command{
		Use:   "queries [flags] FILE",
		Short: "Ask questions with known answers",
		Long: `Queries asks the questions in a file of JSON Lines, and looks where among the
hits their answers are. A line is a question:

  {"question": "who tags releases?", "answers": ["notes/release.md:12"]}

An answer is the id of an entry, or a line of a file in the memory folder; [] says
that memory has none. "now" (RFC 3339) is the time a question is asked at, by
default that of the newest entry; a line with only "now" sets it for later lines.
"filter" may hold since, until, kind, type, tag, path and branch.`,
		Example: `  agentflow eval queries questions.jsonl
  agentflow eval queries questions.jsonl --memory notes --json`,
		Args: cliflag.Exactly(1, "a file of questions"),
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Questions = args[0]
			result, err := eval.Queries(cmd.Context(), c.Memory, req)
			return c.Result(err, result.Object(), func() { printQueries(c, result) })
		},
	})
	cmd.Flags().StringVar(&req.Folder, "memory", "", "a `folder` of Markdown to ask (the memory here)")
	cmd.Flags().IntVar(&req.K, "k", 5, "show recall at this many hits, besides 1 and 10")
	embedFlag(cmd, &req.Provider)
	return cmd
}

func printQueries(c *cli.Env, result eval.QueriesResult) {
	printTable(c, result.Table())
	if f := result.QueryFigures; f.Unanswered > 0 {
		c.Printf("%s without: something is injected for %.1f %%, %.2f hits on average\n",
			plural.Count(f.Unanswered, "question"), 100*f.FalseInjection, f.Injected)
	}
}

// printTable prints rows in columns.
func printTable(c *cli.Env, rows [][]string) {
	for n, line := range terminal.Table(rows) {
		if n == 0 {
			line = c.Bold(line)
		}
		c.Printf("%s\n", line)
	}
}
