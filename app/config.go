package app

import (
	"errors"
	"fmt"

	"agentflow/config"

	"github.com/spf13/cobra"
)

func (a *operation) configCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show every setting and where it came from",
		Long: `Config prints every value with its source. Later sources win: defaults, your
own file, the repository's .agentflow/config.toml (what it may set), the
environment (AGENTFLOW_RECALL_TOP=3), flags.`,
		Args: exactly(0, "no arguments; 'config check' and 'config path' are verbs of their own"),
		RunE: func(*cobra.Command, []string) error {
			settings, err := a.settingsAnywhere(true)
			if settings == nil {
				return err
			}
			if asJSON {
				return errors.Join(a.json(settings.Values()), err)
			}
			for _, v := range settings.Values() {
				a.printf("%-30s %-24s %s\n", v.Key, fmt.Sprint(v.Value), a.dim(v.Source))
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON list of key, value, source")
	cmd.AddCommand(a.configCheckCommand(), a.configPathCommand())
	return cmd
}

// settingsAnywhere loads the settings, also outside a repository.
func (a *operation) settingsAnywhere(tell bool) (*config.Config, error) {
	place, dirs, err := a.here()
	if err != nil && !errors.Is(err, config.ErrNoPlace) {
		return nil, err
	}
	if tell {
		return a.load(place, dirs)
	}
	settings, problems, _ := config.Load(a.layers(place, dirs))
	if len(problems) > 0 {
		return settings, &config.BadConfig{Problems: problems}
	}
	return settings, nil
}

func (a *operation) configCheckCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Check the settings; any problem is an error",
		Args:  exactly(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			settings, err := a.settingsAnywhere(false)
			if err != nil {
				return err
			}
			if _, err := a.embedder(settings.Embed); err != nil {
				return &Error{Kind: KindUsage, Err: fmt.Errorf("checking [embed]: %w", err)}
			}
			a.say("the settings are fine")
			return nil
		},
	}
}

func (a *operation) configPathCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "path",
		Short: "Print where the settings files are: yours, then the repository's",
		Args:  exactly(0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			place, dirs, err := a.here()
			if err != nil && !errors.Is(err, config.ErrNoPlace) {
				return err
			}
			a.printf("%s\n", dirs.ConfigFile())
			if place.Root != "" {
				a.printf("%s\n", place.ConfigFile())
			}
			return nil
		},
	}
}
