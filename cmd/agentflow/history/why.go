package history

import (
	"agentflow/app/why"
	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/cliflag"
	"agentflow/internal/describe"
	"agentflow/internal/gctuning"

	"github.com/spf13/cobra"
)

// Why returns the command why.
func Why(c *cli.Env) *cobra.Command {
	req := why.WhyRequest{Limit: 10}
	cmd := c.WithJSON("one JSON object: path, kind, lines, origins, more, notes", &cobra.Command{
		Use:   "why [flags] PATH[:LINE[-LINE]]",
		Short: "Show which session, run or commit wrote a line, and for which task",
		Long: `Why shows which session, run or commit wrote a line: the task, what the
agent said last, and what memory had put in front of it. It asks git blame, and
follows commits that were amended, rebased, squashed or picked since, what a run
left uncommitted, and what somebody committed later.

A mark says how sure that is. Without one, a tool of the agent wrote the line, or a
process of the run committed it. (likely): a command of the agent wrote to the file,
or the file was found as the run or session left it. (possibly): the file changed
meanwhile, and nothing shows by whom. While a session is open only its tool
calls are known; its entry also knows what else changed the file, so the mark can
change then.

Without a line it lists the tasks that made a file, first those that wrote most of
today's lines, and for a folder the tasks that added the most to it.`,
		Example:           "  agentflow why auth/session.go:42\n  agentflow why auth/session.go:40-60\n  agentflow why auth/session.go\n  agentflow why --json auth",
		Args:              cliflag.Exactly(1, "a path, or a path and a line: FILE:42"),
		ValidArgsFunction: completePath,
		RunE: func(cmd *cobra.Command, args []string) error {
			gctuning.Hurry()
			req.Path = args[0]
			res, err := why.Why(cmd.Context(), c.Memory, req)
			return c.Result(err, res.Why, func() {
				for i, o := range describe.Origins(res.Why) {
					printOrigin(c, i, o)
				}
				if len(res.Origins) == 0 {
					c.Nothing("memory holds nothing that had to do with it", "")
				}
				if res.More > 0 {
					c.Hint("%s", describe.MoreOrigins(res.Why))
				}
				for _, note := range res.Notes {
					c.Say("%s", note)
				}
			})
		},
	})
	cliflag.AtLeast(cmd, &req.Limit, "limit", "n", 0, "of a whole path at most this many; 0 lists all")
	return cmd
}

// completePath offers files for the first argument.
func completePath(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveDefault
}

func printOrigin(c *cli.Env, n int, o describe.OriginText) {
	if len(o.Rows) == 0 { // of a path
		line := cli.CleanLine(o.Head)
		if o.Place != "" {
			line += "  " + c.Dim(c.At(o.Place))
		}
		c.Printf("%s\n", line)
		return
	}
	if n > 0 {
		c.Printf("\n")
	}
	c.Printf("%s\n", c.Bold(cli.CleanLine(o.Head)))
	for _, line := range o.Quoted {
		c.Printf("  %s\n", c.Dim(cli.CleanLine(line)))
	}
	for _, row := range o.Rows {
		c.Row(9, row.Name, "%s", row.Value)
	}
	c.Row(9, "file", "%s", c.At(o.Place))
}
