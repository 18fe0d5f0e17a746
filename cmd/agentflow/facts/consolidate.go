package facts

import (
	"fmt"
	"strings"

	"agentflow/app/consolidate"
	"agentflow/cmd/agentflow/cli"
	"agentflow/cmd/agentflow/history"
	"agentflow/internal/cliflag"
	"agentflow/internal/describe"
	"agentflow/internal/gctuning"
	"agentflow/internal/plural"
	"agentflow/memory"

	"github.com/spf13/cobra"
)

// Consolidate returns the command consolidate.
func Consolidate(c *cli.Env) *cobra.Command {
	var req consolidate.Request
	cmd := c.WithJSON("one JSON object: dry_run, changed, actions, forgotten, possible, more_possible, proposed, refused, cost_usd, diff, undo", &cobra.Command{
		Use:   "consolidate [flags]",
		Short: "Keep memory in order",
		Long: `Consolidate merges facts that say the same, strikes the older of two values of
one key, moves important or repeated facts to MEMORY.md, and moves facts long
unsaid, struck or expired from there to the archive. It folds old daily files into
months, and retires what [retention] names.
Possible duplicates and contradictions are listed and not changed. A fact that a
newer one of yours denies, or that names only files that are gone and was of no use for
half a year, is put on the list of 'agentflow review': it stays until you say otherwise.

The change is shown as a diff, and made whole or not at all. It never prompts, and
is safe in cron. See [consolidate] and [retention] in the settings.

--llm asks an agent CLI (agent, model, max_cost and timeout in [extract] of your
own config) about what may only be a duplicate or a contradiction. What it
proposes is held against the facts, and refused where it loses or adds something,
or touches what you wrote or pinned.`,
		Example: "  agentflow consolidate --dry-run\n  agentflow consolidate --since 7d\n  agentflow consolidate --llm\n  0 4 * * *  cd ~/project && agentflow consolidate",
		RunE: func(cmd *cobra.Command, _ []string) error {
			gctuning.Whole()
			done, err := consolidate.Consolidate(cmd.Context(), c.Memory, req)
			if err != nil {
				return err
			}
			if done.CostUSD > 0 {
				c.Say("asked for $%.4f", done.CostUSD)
			}
			for _, line := range done.Refused {
				c.Say("refused: %s", line)
			}
			return c.Result(nil, done.Consolidation, func() {
				if c.OutTTY {
					history.PrintColoured(c, []byte(done.Diff))
				} else {
					c.Printf("%s", done.Diff)
				}
				printConsolidated(c, done)
			})
		},
	})
	cmd.Flags().StringVar(&req.Namespace, "namespace", "", "global: your own memory instead of the repository's")
	cliflag.Complete(cmd, "namespace", memory.GlobalNamespace)
	cmd.Flags().BoolVar(&req.DryRun, "dry-run", false, "show the change and do not make it")
	cliflag.Date(cmd, &req.Since, "since", "skip groups of facts that are all older than this `date` (2026-11-21, or 7d for the last week)")
	cmd.Flags().BoolVar(&req.AskModel, "llm", false, "ask an agent CLI about likely duplicates and contradictions")
	return cmd
}

// maxTold limits how many actions are printed, and how many possible ones.
const maxTold = 10

// printConsolidated prints the changes on stderr.
func printConsolidated(c *cli.Env, done consolidate.Result) {
	for _, a := range done.Actions[:min(len(done.Actions), maxTold)] {
		c.Say("%s", describe.Action(a, done.DryRun))
	}
	if more := len(done.Actions) - maxTold; more > 0 {
		c.Say("and %d more; --json lists them", more)
	}
	for _, p := range done.Possible[:min(len(done.Possible), maxTold)] {
		var facts []string
		for i, id := range p.IDs {
			facts = append(facts, fmt.Sprintf("%s %q", memory.ShortID(id), cli.CleanLine(p.Texts[i])))
		}
		c.Say("possible %s: %s: %s", p.Kind, p.Reason, strings.Join(facts, ", "))
	}
	if more := len(done.Possible) + done.MorePossible - maxTold; more > 0 {
		c.Say("and %d more that are possible; --json lists %d of them", more, min(more, max(0, len(done.Possible)-maxTold)))
	}
	if len(done.Possible) > 0 {
		c.Hint("'agentflow forget ID' takes one out, 'agentflow memory edit ID' makes the two differ")
	}
	if done.Proposed > 0 {
		c.Say("proposes to take out %s: no longer true, it seems", plural.Count(done.Proposed, "fact"))
		c.Hint("'agentflow review' asks about each")
	}
	switch sum := describe.Actions(done.Actions, done.DryRun); {
	case !done.Changed:
		c.Say("memory is in order")
	case done.DryRun:
		c.Say("would change %s: %s", plural.Count(done.Files, "file"), sum)
		c.Hint("'agentflow consolidate' does it, and 'agentflow memory undo' takes it back")
	default:
		c.Say("changed %s: %s", plural.Count(done.Files, "file"), sum)
		sayUndo(c, done.Undo)
		if len(done.Forgotten) > 0 {
			c.Hint("'agentflow memory restore %s' brings a retired fact back", memory.ShortID(done.Forgotten[0]))
		}
	}
}
