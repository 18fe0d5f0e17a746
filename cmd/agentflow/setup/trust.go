package setup

import (
	"context"
	"fmt"

	"agentflow/app/trust"
	"agentflow/cmd/agentflow/cli"

	"github.com/spf13/cobra"
)

// Trust returns the command trust.
func Trust(c *cli.Env) *cobra.Command {
	var req trust.Request
	var yes, revoke bool
	cmd := &cobra.Command{
		Use:   "trust",
		Short: "Let this repository's settings start programs",
		Long: `Trust lets the repository's .agentflow/config.toml, exactly as it is now, set
what otherwise only your own file may: agents, arguments, limits and commands.
A changed file has to be trusted again. --revoke takes it back.

Memory that came with a repository stays out of prompts, and a search says where
it is from. --memory accepts the memory files that git tracks, as they are now;
files that a pull or a checkout puts in their place must be accepted again.`,
		Example: "  agentflow trust\n  agentflow trust --memory\n  agentflow trust --memory --revoke",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if revoke {
				return revokeTrust(cmd.Context(), c, req)
			}
			return trustFiles(cmd.Context(), c, req, yes)
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&req.Memory, "memory", false, "accept the memory that came with the repository, instead of its settings")
	cmd.Flags().BoolVar(&revoke, "revoke", false, "take trust back")
	return cmd
}

func trustFiles(ctx context.Context, c *cli.Env, req trust.Request, yes bool) error {
	plan, err := trust.PlanFor(ctx, c.Memory, req)
	if err != nil {
		return err
	}
	question, done := "trust this?", "trusted until it changes"
	switch {
	case plan.Empty():
		c.Say("nothing to accept: all of %s is yours or accepted", plan.Path)
		return nil
	case req.Memory:
		question, done = "believe their contents?", "accepted until a pull or a checkout changes them"
		c.Say("these came with the repository:")
		for _, file := range plan.Files {
			c.Line("", fmt.Sprintf("%s  %d bytes", cli.CleanLine(file.Name), file.Size))
		}
	default:
		c.Say("%s says:", plan.Path)
		c.Line("", string(plan.Settings))
	}
	if err := c.Confirm(question, yes); err != nil {
		return err
	}
	if _, err := trust.Apply(ctx, c.Memory, plan); err != nil {
		return err
	}
	c.Say("%s", done)
	return nil
}

func revokeTrust(ctx context.Context, c *cli.Env, req trust.Request) error {
	plan, err := trust.Revoke(ctx, c.Memory, req)
	switch {
	case err != nil:
		return err
	case req.Memory:
		c.Say("the files of %s that came with the repository are not believed", plan.Path)
	default:
		c.Say("%s is not trusted", plan.Path)
	}
	return nil
}
