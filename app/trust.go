package app

import (
	"errors"
	"fmt"
	"io/fs"

	"agentflow/config"

	"github.com/spf13/cobra"
)

func (a *operation) trustCommand() *cobra.Command {
	var yes, revoke, ofMemory bool
	cmd := &cobra.Command{
		Use:   "trust",
		Short: "Let this repository's settings start programs",
		Long: `Trust lets the repository's .agentflow/config.toml, exactly as it is now, set
what otherwise only your own file may: agents, arguments, limits and commands.
A changed file has to be trusted anew. --revoke takes it back.

Memory that came with a repository is not believed: it stays out of prompts,
and a search says where it is from. trust --memory accepts the memory files
that git tracks, as they are now, and starts nothing. What a pull or a checkout
puts in their place has to be accepted anew; what you and your runs write to
them has not.`,
		Example: "  agentflow trust\n  agentflow trust --memory\n  agentflow trust --memory --revoke",
		Args:    exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if ofMemory {
				return a.trustMemory(cmd.Context(), yes, revoke)
			}
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
			if errors.Is(err, fs.ErrNotExist) {
				return &Error{Kind: KindRefused, Err: fmt.Errorf("this repository has no settings to trust: there is no %s", place.ConfigFile()),
					Hint: "'agentflow trust --memory' accepts the memory that came with it"}
			}
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
	cmd.Flags().BoolVar(&ofMemory, "memory", false, "accept the memory that came with the repository, instead of its settings")
	cmd.Flags().BoolVar(&revoke, "revoke", false, "take trust back")
	return cmd
}
