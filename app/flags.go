package app

import (
	"agentflow/config"

	"github.com/spf13/cobra"
)

// complete offers fixed values for a flag.
func complete(cmd *cobra.Command, flag string, values ...string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// flagKey is a flag whose text overlays a setting; empty is unset.
type flagKey struct{ flag, key, text string }

// overlay puts flags over the settings, checked as settings are.
func overlay(settings *config.Config, flags ...flagKey) error {
	for _, f := range flags {
		if f.text == "" {
			continue
		}
		if p := settings.Set("--"+f.flag, f.key, f.text); p != nil {
			return usagef("--%s: %s", f.flag, p.Message)
		}
	}
	return nil
}
