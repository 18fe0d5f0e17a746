package main

import (
	"agentflow/app/api"
	"agentflow/app/fact"
	"agentflow/app/forget"
	"agentflow/internal/cliflag"
	"agentflow/internal/plural"
	"agentflow/memory"

	"github.com/spf13/cobra"
)

func pinCommand(c *cli) *cobra.Command {
	return pinning(c, true, &cobra.Command{
		Use:   "pin [flags] ID…|last",
		Short: "Keep an entry or a fact from ageing",
		Long: `Pin marks an entry or a fact, where it stands in the Markdown, so that its age
no longer counts against it and it ranks a little higher. 'unpin' takes the
mark off.`,
		Example: "  agentflow pin 3f9a1c\n  agentflow pin last",
	})
}

func unpinCommand(c *cli) *cobra.Command {
	return pinning(c, false, &cobra.Command{
		Use:     "unpin [flags] ID…|last",
		Short:   "Let a pinned entry or fact age again",
		Long:    "Unpin takes off the mark that 'pin' set.",
		Example: "  agentflow unpin 3f9a1c",
	})
}

// pinning returns the pin or the unpin command.
func pinning(c *cli, pinned bool, cmd *cobra.Command) *cobra.Command {
	done, was := "unpinned", "not pinned"
	if pinned {
		done, was = "pinned", "pinned"
	}
	cmd.Args = cliflag.AtLeastOne("an id, or 'last'")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		result, err := fact.Pin(cmd.Context(), c.memory, fact.PinRequest{IDs: args, Pinned: pinned})
		for _, pin := range result.Pins {
			if pin.Changed {
				c.say("%s %s: %s", done, memory.ShortID(pin.ID), cleanLine(pin.Title))
			} else {
				c.say("%s was %s already: %s", memory.ShortID(pin.ID), was, cleanLine(pin.Title))
			}
		}
		return c.result(err, result.Pins, func() {})
	}
	return c.withJSON("one JSON list: id, title, file, pinned, changed", cmd)
}

func restoreCommand(c *cli) *cobra.Command {
	return c.withJSON("one JSON object: restored", &cobra.Command{
		Use:   "restore [flags] [ID…]",
		Short: "Bring back entries that vanished or were forgotten",
		Long: `Restore writes entries back from the log: those with the given ids (forgotten
ones too), or without ids every entry that vanished without forget. What others
share and forget hid here is shown again. What was purged cannot come back.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			result, err := forget.Restore(cmd.Context(), c.memory, forget.RestoreRequest{IDs: args})
			return c.result(err, api.Restored{Restored: result.Restored}, func() {
				printLost(c, result.Restored)
				if len(args) == 0 && len(result.Restored) == 0 {
					c.say("nothing is missing")
					c.hint("'agentflow memory restore ID' brings back what was forgotten")
					return
				}
				c.say("restored %s", plural.Count(len(result.Restored), "memory"))
			})
		},
	})
}
