package cli

import (
	"os"

	"agentflow/internal/terminal"

	"github.com/spf13/cobra"
)

// Paged sends a command's output on a terminal to a pager, and also its messages
// as long as the pager uses that terminal.
func (c *Env) Paged(cmd *cobra.Command) *cobra.Command {
	var not bool
	cmd.Flags().BoolVar(&not, "no-pager", false, "print on the terminal itself, however long it is")
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		out, ok := c.Out.(*terminal.Output)
		if !ok || !c.OutTTY || not {
			return run(cmd, args)
		}
		pager := terminal.NewPager(c.Environ, os.Stdout, out.To)
		if pager == nil {
			return run(cmd, args)
		}
		told := c.Err
		if c.ErrTTY {
			c.Err = pager.Wrap(told)
		}
		c.Pager.Store(pager)
		back := out.Through(pager)
		defer func() {
			pager.Close()
			back()
			c.Pager.Store(nil)
			c.Err = told
		}()
		return run(cmd, args)
	}
	return cmd
}
