package main

import (
	"os"

	"agentflow/internal/terminal"

	"github.com/spf13/cobra"
)

// paged sends a command's output on a terminal to a pager, and also its messages
// as long as the pager uses that terminal.
func (c *cli) paged(cmd *cobra.Command) *cobra.Command {
	var not bool
	cmd.Flags().BoolVar(&not, "no-pager", false, "print on the terminal itself, however long it is")
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		out, ok := c.out.(*terminal.Output)
		if !ok || !c.outTTY || not {
			return run(cmd, args)
		}
		pager := terminal.NewPager(c.environ, os.Stdout, out.To)
		if pager == nil {
			return run(cmd, args)
		}
		told := c.err
		if c.errTTY {
			c.err = pager.Beside(told)
		}
		c.pager.Store(pager)
		back := out.Through(pager)
		defer func() {
			pager.Close()
			back()
			c.pager.Store(nil)
			c.err = told
		}()
		return run(cmd, args)
	}
	return cmd
}
