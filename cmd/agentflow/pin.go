package main

import (
	"fmt"

	"agentflow/api"
	"agentflow/app"
	"agentflow/internal/cliflag"
	"agentflow/internal/plural"
	"agentflow/memory"

	"github.com/spf13/cobra"
)

func (c *cli) pinCommand() *cobra.Command {
	cmd := c.pinning(true)
	cmd.Use = "pin [flags] ID…|last"
	cmd.Short = "Keep an entry or a fact from ageing"
	cmd.Long = `Pin marks an entry or a fact, where it stands in the Markdown, so that its age
no longer counts against it and it ranks a little higher. 'unpin' takes the
mark off.`
	cmd.Example = "  agentflow pin 3f9a1c\n  agentflow pin last"
	return cmd
}

func (c *cli) unpinCommand() *cobra.Command {
	cmd := c.pinning(false)
	cmd.Use = "unpin [flags] ID…|last"
	cmd.Short = "Let a pinned entry or fact age again"
	cmd.Long = "Unpin takes off the mark that 'pin' set."
	cmd.Example = "  agentflow unpin 3f9a1c"
	return cmd
}

// pinning is what pin and unpin share.
func (c *cli) pinning(pinned bool) *cobra.Command {
	var asJSON bool
	done, was := "unpinned", "not pinned"
	if pinned {
		done, was = "pinned", "pinned"
	}
	cmd := &cobra.Command{
		Args: cliflag.AtLeastOne("an id, or 'last'"),
		RunE: func(cmd *cobra.Command, args []string) error {
			result, err := c.memory.Pin(cmd.Context(), app.PinRequest{IDs: args, Pinned: pinned})
			if err != nil {
				return err
			}
			for _, pin := range result.Pins {
				if pin.Changed {
					c.say("%s %s: %s", done, memory.ShortID(pin.ID), cleanLine(pin.Title))
				} else {
					c.say("%s was %s already: %s", memory.ShortID(pin.ID), was, cleanLine(pin.Title))
				}
			}
			return c.jsonIf(asJSON, result.Pins)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON list: id, title, file, pinned, changed")
	return cmd
}

func (c *cli) restoreCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "restore [flags] [ID…]",
		Short: "Bring back entries that vanished or were forgotten",
		Long: `Restore writes entries back from the log: those with the given ids (forgotten
ones too), or without ids every entry that vanished without forget. What was
purged cannot come back.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			result, err := c.memory.Restore(cmd.Context(), app.RestoreRequest{IDs: args})
			if err != nil {
				return err
			}
			if asJSON {
				return c.json(api.Restored{Restored: result.Restored})
			}
			for _, e := range result.Restored {
				c.printf("%s  %s\n", memory.ShortID(e.ID), memory.Clean(fmt.Sprintf("%s  (%s)", e.Title, e.File)))
			}
			if len(args) == 0 && len(result.Restored) == 0 {
				c.say("nothing is missing")
				c.hint("'agentflow memory restore ID' brings back what was forgotten")
				return nil
			}
			c.say("restored %s", plural.Count(len(result.Restored), "entry"))
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object: restored")
	return cmd
}
