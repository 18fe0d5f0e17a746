package main

import (
	"errors"
	"fmt"

	"agentflow/app"

	"github.com/spf13/cobra"
)

func (c *cli) configCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show every setting and where it came from",
		Long: `Config prints every value with its source. Later sources win: defaults, your
own file, the repository's .agentflow/config.toml (what it may set), the
environment (AGENTFLOW_RECALL_TOP=3), flags.`,
		Args: exactly(0, "no arguments; 'config check' and 'config path' are commands of their own"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			found, err := c.memory.Config(cmd.Context(), app.ConfigRequest{})
			if found.Values == nil {
				return err
			}
			if asJSON {
				return errors.Join(c.json(found.Values), err)
			}
			for _, v := range found.Values {
				c.printf("%-30s %-24s %s\n", v.Key, fmt.Sprint(v.Value), c.dim(v.Source))
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON list of key, value, source")
	cmd.AddCommand(&cobra.Command{
		Use:   "check",
		Short: "Check the settings; any problem is an error",
		Args:  exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := c.memory.CheckConfig(cmd.Context(), app.CheckConfigRequest{}); err != nil {
				return err
			}
			c.say("the settings are fine")
			return nil
		},
	}, &cobra.Command{
		Use:   "path",
		Short: "Print where the settings files are: yours, then the repository's",
		Args:  exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			files, err := c.memory.ConfigFiles(cmd.Context(), app.ConfigFilesRequest{})
			if err != nil {
				return err
			}
			c.printf("%s\n", files.User)
			if files.Repository != "" {
				c.printf("%s\n", files.Repository)
			}
			return nil
		},
	})
	return cmd
}
