package app

import (
	"strings"
	"time"

	"agentflow/prompt"

	"github.com/spf13/cobra"
)

func (a *operation) recallCommand() *cobra.Command {
	var filters filterFlags
	var top, budget int
	var asJSON, explain bool
	cmd := &cobra.Command{
		Use:   "recall [flags] TASK…",
		Short: "Print the very block of memory a prompt would get",
		Long: `Recall prints what 'agentflow run' would put in front of this task, and nothing
when memory holds nothing relevant: the best facts of MEMORY.md, which are there
for every task, then the entries that the task is about.`,
		Example: `  agentflow recall "fix the flaky login test"
  agentflow recall --explain --namespace branch/next "bump the version"`,
		Args: atLeastOne("a task"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, q, err := a.asked(cmd.Context(), filters)
			if err != nil {
				return err
			}
			if !cmd.Flags().Changed("top") {
				top = s.settings.Recall.Top
			}
			if !cmd.Flags().Changed("budget") {
				budget = s.settings.Recall.Budget
			}
			task := strings.Join(args, " ")
			q.Text, q.Limit, q.Gate = task, top, true
			known, err := s.recall(cmd.Context(), q)
			s.degraded("recall", known.Degraded)
			if err != nil {
				return err
			}
			in := prompt.Input{Task: task, Hits: known.Hits, Budget: budget, Top: top, Facts: known.Facts, FactsShare: s.settings.Prompt.FactsShare,
				Format: prompt.Format(s.settings.Prompt.Format), Now: time.Now(), Namespaces: known.Namespaces}
			out := prompt.Build(in)
			switch {
			case asJSON:
				return a.json(recallObject(out, explain))
			case explain && out.Block != "":
				a.explainRecall(in, out)
				return nil
			}
			a.printf("%s", out.Block)
			if out.Block == "" {
				a.say("nothing relevant in memory: the prompt would get no block")
			}
			return nil
		},
	}
	filters.register(cmd)
	cmd.Flags().IntVar(&top, "top", 5, "at most this many entries")
	cmd.Flags().IntVar(&budget, "budget", 2000, "tokens for them")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object: block, tokens, facts, hits; with --explain also what each costs")
	cmd.Flags().BoolVar(&explain, "explain", false, "list instead why each fact and entry is there, and what it costs in tokens")
	return cmd
}
