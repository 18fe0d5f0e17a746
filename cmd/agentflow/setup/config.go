package setup

import (
	"errors"
	"fmt"
	"strings"

	"agentflow/app/setup"
	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/cliflag"
	"agentflow/internal/config"

	"github.com/spf13/cobra"
)

// Config returns the command config.
func Config(c *cli.Env) *cobra.Command {
	cmd := c.WithJSON("one JSON list of key, value, source", &cobra.Command{
		Use:   "config",
		Short: "Show every setting and where it came from",
		Long: `Config prints every value with its source. Later sources win: defaults, your
own file, the repository's .agentflow/config.toml (what it may set), the
environment (AGENTFLOW_RECALL_TOP=3), flags.`,
		Args: cliflag.Exactly(0, "no arguments; 'config get KEY' prints one setting"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			found, err := setup.Config(cmd.Context(), c.Memory)
			if found.Values == nil {
				return err
			}
			return errors.Join(err, c.Result(nil, found.Values, func() {
				for _, v := range found.Values {
					c.Printf("%-30s %-24s %s\n", v.Key, settingText(v.Value), c.Dim(v.Source))
				}
			}))
		},
	})
	cmd.AddCommand(&cobra.Command{
		Use:   "check",
		Short: "Check the settings; any problem is an error",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := setup.CheckConfig(cmd.Context(), c.Memory); err != nil {
				return err
			}
			c.Say("the settings are fine")
			return nil
		},
	}, &cobra.Command{
		Use:   "path",
		Short: "Print where the settings files are: yours, then the repository's",
		RunE: func(cmd *cobra.Command, _ []string) error {
			files, err := setup.ConfigFiles(cmd.Context(), c.Memory)
			if err != nil {
				return err
			}
			c.Printf("%s\n", files.User)
			if files.Repository != "" {
				c.Printf("%s\n", files.Repository)
			}
			return nil
		},
	}, getConfigCommand(c), changeConfigCommand(c, "set [flags] KEY VALUE", "Put a setting into your settings file", "a setting and its value", 2),
		changeConfigCommand(c, "unset [flags] KEY", "Take a setting out of your settings file", "a setting", 1),
		changeConfigCommand(c, "edit [flags]", "Open your settings file in your editor, and check it", "no arguments", 0))
	return cmd
}

func getConfigCommand(c *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use:               "get KEY",
		Short:             "Print the value of a setting",
		Args:              cliflag.Exactly(1, "a setting, such as recall.top"),
		ValidArgsFunction: completeSettings,
		RunE: func(cmd *cobra.Command, args []string) error {
			found, err := setup.Config(cmd.Context(), c.Memory)
			if err != nil {
				return err
			}
			for _, v := range found.Values {
				if v.Key == args[0] {
					c.Printf("%s\n", settingText(v.Value))
					return nil
				}
			}
			return cli.HintedUsage("'agentflow config' lists them", "there is no setting %q", args[0])
		},
	}
}

// settingText formats a value; a list has TOML syntax.
func settingText(value any) string {
	if list, ok := value.([]string); ok {
		text := fmt.Sprintf("%q", list)
		return strings.ReplaceAll(text, `" "`, `", "`)
	}
	return fmt.Sprint(value)
}

// changeConfigCommand puts a setting into a settings file with two arguments,
// takes it out with one, and without any opens the file in an editor.
func changeConfigCommand(c *cli.Env, use, short, what string, arguments int) *cobra.Command {
	var req setup.SetConfigRequest
	cmd := &cobra.Command{
		Use:               use,
		Short:             short,
		Args:              cliflag.Exactly(arguments, what),
		ValidArgsFunction: completeSettings,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch arguments {
			case 0:
				req.Editor = cli.EditSettings
			case 2:
				req.Value = &args[1]
				fallthrough
			case 1:
				req.Key = args[0]
			}
			done, err := setup.SetConfig(cmd.Context(), c.Memory, req)
			if err == nil && arguments > 0 {
				c.Say("changed %s", done.File)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&req.Repository, "repository", false, "the repository's file, for everybody who works in it")
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
