package main

import (
	"strings"

	"agentflow/memory"
	"agentflow/prompt"

	"github.com/spf13/cobra"
)

func (a *app) recallCommand() *cobra.Command {
	var filters filterFlags
	var top, budget int
	var asJSON, explain bool
	cmd := &cobra.Command{
		Use:   "recall [flags] TASK…",
		Short: "Print the very block of memory a prompt would get",
		Long: `Recall prints what 'agentflow run' would put in front of this task, and nothing
when memory holds nothing relevant.`,
		Args: atLeastOne("a task"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, filter, err := a.asked(cmd.Context(), filters)
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
			hits, degraded, err := s.search(cmd.Context(), memory.Query{Text: task, Limit: top, Filter: filter, Gate: true})
			s.degraded("recall", degraded)
			if err != nil {
				return err
			}
			out := prompt.Build(prompt.Input{Task: task, Hits: hits, Budget: budget, Top: top})
			if explain {
				a.printHits(asFound(task, out.Used), out.Used)
				return nil
			}
			dropExplain(out.Used)
			if asJSON {
				return a.json(map[string]any{"block": out.Block, "tokens": out.Tokens, "hits": filled(out.Used)})
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
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object: block, tokens, hits")
	cmd.Flags().BoolVar(&explain, "explain", false, "list the hits with every part of each score instead")
	return cmd
}
