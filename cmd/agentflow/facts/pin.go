package facts

import (
	"agentflow/app/api"
	"agentflow/app/fact"
	"agentflow/app/forget"
	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/cliflag"
	"agentflow/internal/plural"
	"agentflow/memory"

	"github.com/spf13/cobra"
)

// Pin returns the command pin.
func Pin(c *cli.Env) *cobra.Command {
	return pinning(c, true, &cobra.Command{
		Use:   "pin [flags] ID…|last",
		Short: "Keep an entry or a fact from ageing",
		Long: `Pin marks an entry or a fact in the Markdown, so that its age
no longer counts against it and it ranks a little higher. 'unpin' takes the
mark off.`,
		Example: "  agentflow pin 3f9a1c\n  agentflow pin last",
	})
}

// Unpin returns the command unpin.
func Unpin(c *cli.Env) *cobra.Command {
	return pinning(c, false, &cobra.Command{
		Use:     "unpin [flags] ID…|last",
		Short:   "Let a pinned entry or fact age again",
		Long:    "Unpin takes off the mark that 'pin' set.",
		Example: "  agentflow unpin 3f9a1c",
	})
}

// pinning returns the pin or the unpin command.
func pinning(c *cli.Env, pinned bool, cmd *cobra.Command) *cobra.Command {
	done, was := "unpinned", "not pinned"
	if pinned {
		done, was = "pinned", "pinned"
	}
	cmd.Args = cliflag.AtLeastOne("an id, or 'last'")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		result, err := fact.Pin(cmd.Context(), c.Memory, fact.PinRequest{IDs: args, Pinned: pinned})
		for _, pin := range result.Pins {
			if pin.Changed {
				c.Say("%s %s: %s", done, memory.ShortID(pin.ID), cli.CleanLine(pin.Title))
			} else {
				c.Say("%s was %s already: %s", memory.ShortID(pin.ID), was, cli.CleanLine(pin.Title))
			}
		}
		return c.Result(err, result.Pins, func() {})
	}
	return c.WithJSON("one JSON list: id, title, file, pinned, changed", cmd)
}

func restoreCommand(c *cli.Env) *cobra.Command {
	return c.WithJSON("one JSON object: restored", &cobra.Command{
		Use:   "restore [flags] [ID…]",
		Short: "Bring back entries that vanished or were forgotten",
		Long: `Restore writes entries back from the log: those with the given ids (forgotten
ones too), or without ids every entry that vanished without forget. What others
share and forget hid here is shown again. What was purged cannot come back.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			result, err := forget.Restore(cmd.Context(), c.Memory, forget.RestoreRequest{IDs: args})
			return c.Result(err, api.Restored{Restored: result.Restored}, func() {
				printLost(c, result.Restored)
				if len(args) == 0 && len(result.Restored) == 0 {
					c.Say("nothing is missing")
					c.Hint("'agentflow memory restore ID' brings back what was forgotten")
					return
				}
				c.Say("restored %s", plural.Count(len(result.Restored), "memory"))
			})
		},
	})
}
