package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"agentflow/app"
	"agentflow/config"
	"agentflow/internal/cliflag"

	"github.com/spf13/cobra"
)

func (c *cli) configCommand() *cobra.Command {
	cmd := c.withJSON("one JSON list of key, value, source", &cobra.Command{
		Use:   "config",
		Short: "Show every setting and where it came from",
		Long: `Config prints every value with its source. Later sources win: defaults, your
own file, the repository's .agentflow/config.toml (what it may set), the
environment (AGENTFLOW_RECALL_TOP=3), flags.`,
		Args: cliflag.Exactly(0, "no arguments; 'config check' and 'config path' are commands of their own"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			found, err := c.memory.Config(cmd.Context())
			if found.Values == nil {
				return err
			}
			return errors.Join(err, c.result(nil, found.Values, func() {
				for _, v := range found.Values {
					c.printf("%-30s %-24s %s\n", v.Key, fmt.Sprint(v.Value), c.dim(v.Source))
				}
			}))
		},
	})
	cmd.AddCommand(&cobra.Command{
		Use:   "check",
		Short: "Check the settings; any problem is an error",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := c.memory.CheckConfig(cmd.Context()); err != nil {
				return err
			}
			c.say("the settings are fine")
			return nil
		},
	}, &cobra.Command{
		Use:   "path",
		Short: "Print where the settings files are: yours, then the repository's",
		RunE: func(cmd *cobra.Command, _ []string) error {
			files, err := c.memory.ConfigFiles(cmd.Context())
			if err != nil {
				return err
			}
			c.printf("%s\n", files.User)
			if files.Repository != "" {
				c.printf("%s\n", files.Repository)
			}
			return nil
		},
	}, c.changeConfigCommand("set [flags] KEY VALUE", "Put a setting into your settings file", "a setting and its value", 2),
		c.changeConfigCommand("unset [flags] KEY", "Take a setting out of your settings file", "a setting", 1), c.configEditCommand())
	return cmd
}

// changeConfigCommand puts a setting into a settings file, or takes it out: with
// two arguments or one.
func (c *cli) changeConfigCommand(use, short, what string, arguments int) *cobra.Command {
	var repository bool
	cmd := &cobra.Command{
		Use:               use,
		Short:             short,
		Args:              cliflag.Exactly(arguments, what),
		ValidArgsFunction: completeSettings,
		RunE: func(cmd *cobra.Command, args []string) error {
			req := app.SetConfigRequest{Key: args[0], Repository: repository}
			if arguments == 2 {
				req.Value = &args[1]
			}
			done, err := c.memory.SetConfig(cmd.Context(), req)
			if err == nil {
				c.say("changed %s", done.File)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&repository, "repository", false, "the repository's file, for everybody who works in it")
	return cmd
}

func (c *cli) configEditCommand() *cobra.Command {
	var repository bool
	cmd := &cobra.Command{
		Use:   "edit [flags]",
		Short: "Open your settings file in your editor, and check it",
		RunE: func(cmd *cobra.Command, _ []string) error {
			files, err := c.memory.ConfigFiles(cmd.Context())
			if err != nil {
				return err
			}
			file := files.User
			if repository {
				if file = files.Repository; file == "" {
					return &app.Error{Kind: app.KindNoPlace, Err: errors.New("editing the repository's settings: there is no repository here")}
				}
			}
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				return err
			}
			if err := c.editFile(cmd.Context(), file); err != nil {
				return err
			}
			_, err = c.memory.CheckConfig(cmd.Context())
			return err
		},
	}
	cmd.Flags().BoolVar(&repository, "repository", false, "the repository's file")
	return cmd
}

// completeSettings offers the names of settings for the first argument.
func completeSettings(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	var names []string
	for _, s := range config.Settings() {
		if len(args) == 0 && !strings.Contains(s.Key, "NAME") {
			names = append(names, s.Key+"\t"+s.Text)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
