package facts

import (
	"math"
	"strings"

	"agentflow/app/fact"
	"agentflow/app/list"
	"agentflow/cmd/agentflow/cli"
	"agentflow/cmd/agentflow/find"
	"agentflow/internal/cliflag"
	"agentflow/memory"

	"github.com/spf13/cobra"
)

func memoryContradictionsCommand(c *cli.Env) *cobra.Command {
	req := fact.ContradictionsRequest{Limit: 50, Most: math.MaxInt32}
	cmd := c.WithJSON("one JSON list", &cobra.Command{
		Use:   "contradictions [flags]",
		Short: "List facts that probably cannot all be right",
		Long: `Contradictions lists facts that hold in one namespace and have the same key, by key,
the newest first. 'agentflow consolidate' settles your own with one key: it keeps the
newer and strikes the other. Facts that somebody else shares are listed with their
author, and not struck or changed: talk to them, or say in your own memory what
counts. Pairs of facts that are about the same thing by their words follow:
'agentflow forget ID' takes one of them out.`,
		Example: "  agentflow memory contradictions\n  agentflow memory contradictions --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			res, err := list.Contradictions(cmd.Context(), c.Memory, req)
			return c.Result(err, res.Groups, func() {
				if len(res.Groups) == 0 {
					c.Say("no two facts that hold have the same key, or are about the same thing")
				}
				for _, g := range res.Groups {
					about := g.Key
					if about == "" {
						about = "about " + strings.Join(g.Words, ", ")
					}
					c.Printf("%s\n", c.Bold(cli.CleanLine(about+find.Elsewhere(g.Namespace))))
					for _, f := range g.Facts {
						cli.Item(c, "  "+memory.ShortID(f.ID)+"  "+cli.DateText(f.Created), memory.Title(f.Whole())+cli.SharedBy(f.Author), cli.AtFact(c, f.File, f.Line))
					}
				}
			})
		},
	})
	cliflag.AtLeast(cmd, &req.Limit, "limit", "n", 1, "at most this many keys")
	return cmd
}
