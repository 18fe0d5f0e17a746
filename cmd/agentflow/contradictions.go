package main

import (
	"math"

	"agentflow/app"
	"agentflow/internal/cliflag"
	"agentflow/memory"

	"github.com/spf13/cobra"
)

func (c *cli) memoryContradictionsCommand() *cobra.Command {
	req := app.ContradictionsRequest{Limit: 50, Most: math.MaxInt32}
	cmd := c.withJSON("one JSON list", &cobra.Command{
		Use:   "contradictions [flags]",
		Short: "List facts that have the same key and cannot all be right",
		Long: `Contradictions lists facts that hold, stand in one namespace and have the same key,
by key, the newest first. Your own are settled by 'agentflow consolidate', which
lets the newer stand. What somebody else shares and says otherwise is listed with
its author, and nothing of it is struck or changed: talk to them, or say in your
own memory what counts.`,
		Example: "  agentflow memory contradictions\n  agentflow memory contradictions --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			res, err := c.memory.Contradictions(cmd.Context(), req)
			return c.result(err, res.Groups, func() {
				if len(res.Groups) == 0 {
					c.say("no two facts that hold have the same key")
				}
				for _, g := range res.Groups {
					c.printf("%s\n", c.bold(cleanLine(g.Key+elsewhere(g.Namespace))))
					for _, f := range g.Facts {
						c.item("  "+memory.ShortID(f.ID)+"  "+dateText(f.Created), memory.Title(f.Whole())+sharedBy(f.Author), c.atFact(f.File, f.Line))
					}
				}
			})
		},
	})
	cliflag.AtLeast(cmd, &req.Limit, "limit", "n", 1, "at most this many keys")
	return cmd
}
