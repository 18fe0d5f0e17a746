package main

import (
	"fmt"

	"agentflow/config"

	"github.com/spf13/cobra"
)

func (a *app) trustCommand() *cobra.Command {
	var yes, revoke bool
	cmd := &cobra.Command{
		Use:   "trust",
		Short: "Let this repository's settings start programs",
		Long: `Trust lets the repository's .agentflow/config.toml, exactly as it is now, set
what otherwise only your own file may: agents, arguments, limits and commands.
A changed file has to be trusted anew. --revoke takes it back.`,
		Args: exactly(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			place, dirs, err := a.here()
			if err != nil {
				return err
			}
			if dirs.State == "" {
				return fmt.Errorf("trusting %s: there is no folder of yours to keep that in", place.ConfigFile())
			}
			if revoke {
				if err := dirs.Trust().Revoke(place.ConfigFile()); err != nil {
					return err
				}
				a.say("%s is not trusted", place.ConfigFile())
				return nil
			}
			data, err := config.ReadRepoFile(place.ConfigFile())
			if err != nil {
				return fmt.Errorf("trusting the settings: %w", err)
			}
			a.say("%s says:", place.ConfigFile())
			a.line("", string(data))
			if err := a.confirm("trust this?", yes); err != nil {
				return err
			}
			if err := dirs.Trust().Grant(place.ConfigFile(), data); err != nil {
				return err
			}
			a.say("trusted until it changes")
			return nil
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&revoke, "revoke", false, "take trust back")
	return cmd
}
