package facts

import (
	"agentflow/app/extract"
	"agentflow/cmd/agentflow/cli"
	"agentflow/cmd/agentflow/history"
	"agentflow/internal/plural"
	"agentflow/memory"

	"github.com/spf13/cobra"
)

// Extract returns the command extract.
func Extract(c *cli.Env) *cobra.Command {
	req := extract.Request{Ref: "last"}
	cmd := &cobra.Command{
		Use:   "extract [flags] [RUN]",
		Short: "Ask a model for lasting facts in a run or session",
		Long: `Extract asks the agent CLI of the settings [extract] for lasting facts in the
transcript of a run or of turns of a session: what the agent learnt, and what you
want from now on. With extract.enabled this happens after each run.
RUN is an id, or the end of one; without it the last run or session counts.
Refused facts are listed with the reason.`,
		Example: "  agentflow extract --dry-run last\n  agentflow extract a1b2c3",
		Args:    cobra.MaximumNArgs(1),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, a2 string) ([]string, cobra.ShellCompDirective) {
			return history.CompleteRuns(c, cmd, args, a2)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				req.Ref = args[0]
			}
			res, err := extract.Extract(cmd.Context(), c.Memory, req)
			if err != nil {
				return err
			}
			printExtracted(c, res, req.DryRun)
			return nil
		},
	}
	cmd.Flags().BoolVar(&req.DryRun, "dry-run", false, "show what would be learnt, and save nothing; the model is asked all the same")
	return cmd
}

func printExtracted(c *cli.Env, res extract.Result, dryRun bool) {
	for _, f := range res.Facts {
		c.Printf("%s  %s\n", memory.ShortID(f.ID), cli.CleanLine(f.Text))
		c.Row(13, "reason", "%s", cli.CleanLine(f.Reason))
		c.Row(13, "namespace", "%s", cli.CleanLine(f.Namespace))
	}
	for _, r := range res.Refused {
		c.Printf("%s\n", c.Dim("refused: "+r.Text+" ("+r.Why+")"))
	}
	done := "learnt"
	if dryRun {
		done = "would learn"
	}
	line := done + " " + plural.Count(len(res.Facts), "fact") + " of " + memory.ShortID(res.ID)
	if res.CostUSD > 0 {
		c.Say("%s, for $%.4f", line, res.CostUSD)
		return
	}
	c.Say("%s", line)
}
