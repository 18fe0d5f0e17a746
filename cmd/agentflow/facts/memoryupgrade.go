package facts

import (
	"agentflow/app/consolidate"
	"agentflow/cmd/agentflow/cli"
	"agentflow/cmd/agentflow/history"
	"agentflow/internal/cliflag"
	"agentflow/internal/plural"
	"agentflow/memory"

	"github.com/spf13/cobra"
)

func memoryUpgradeCommand(c *cli.Env) *cobra.Command {
	var req consolidate.UpgradeRequest
	cmd := c.WithJSON("one JSON object: dry_run, files, entries, left, diff", &cobra.Command{
		Use:   "upgrade [flags]",
		Short: "Write older entries in the newest layout",
		Long: `Upgrade writes the entries of earlier versions of agentflow in the layout that is
written now: what was done and why comes first, and the notes of a day are in one
list. The change is shown as a diff, and made whole or not at all. Text that you
wrote stays byte for byte. An entry that you edited so that a line would be lost
stays as it is. Nothing needs an upgrade: older entries are read for ever.`,
		Example: "  agentflow memory upgrade --dry-run\n  agentflow memory upgrade",
		RunE: func(cmd *cobra.Command, _ []string) error {
			done, err := consolidate.Upgrade(cmd.Context(), c.Memory, req)
			return c.Result(err, done.MemoryUpgrade, func() {
				if c.OutTTY {
					history.PrintColoured(c, []byte(done.Diff))
				} else {
					c.Printf("%s", done.Diff)
				}
				sayUpgraded(c, done)
			})
		},
	})
	cmd.Flags().StringVar(&req.Namespace, "namespace", "", "global: your own memory instead of the repository's")
	cliflag.Complete(cmd, "namespace", memory.GlobalNamespace)
	cmd.Flags().BoolVarP(&req.DryRun, "dry-run", "n", false, "show the change and do not make it")
	return cmd
}

func sayUpgraded(c *cli.Env, done consolidate.UpgradeResult) {
	verb := "upgraded"
	if done.DryRun {
		verb = "would upgrade"
	}
	switch n := plural.Count(done.Entries, "entry"); {
	case len(done.Files) == 0 && done.Left == 0:
		c.Say("all entries are in the newest layout")
	default:
		c.Say("%s %s in %s", verb, n, plural.Count(len(done.Files), "file"))
	}
	if done.Left > 0 {
		c.Say("%s: edited by hand, and left as they are", plural.Count(done.Left, "entry"))
	}
}
