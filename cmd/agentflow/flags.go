package main

import (
	"slices"
	"strings"
	"time"

	"agentflow/config"
	"agentflow/internal/plural"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// complete offers fixed values for a flag.
func complete(cmd *cobra.Command, flag string, values ...string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// spellTags lets people write --tag for --tags, and the reverse, on a command
// and those below it; its help has one of them.
func spellTags(cmd *cobra.Command) {
	for _, name := range []string{"tag", "tags"} {
		if cmd.Flags().Lookup(name) == nil {
			continue
		}
		cmd.Flags().SetNormalizeFunc(func(_ *pflag.FlagSet, given string) pflag.NormalizedName {
			if given == "tag" || given == "tags" {
				given = name
			}
			return pflag.NormalizedName(given)
		})
		break
	}
	for _, below := range cmd.Commands() {
		spellTags(below)
	}
}

// exclusive lets people give at most one of these flags.
func exclusive(cmd *cobra.Command, names ...string) {
	cmd.MarkFlagsMutuallyExclusive(names...) // completion offers no second one
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		var given []string
		for _, name := range names {
			if cmd.Flags().Changed(name) {
				given = append(given, "--"+name)
			}
		}
		if len(given) > 1 {
			return usagef("%s do not go together: give one of them", strings.Join(given, " and "))
		}
		return nil
	}
}

// parseWhen reads a date flag: a day, a time, or how long ago. A day is its
// first moment.
func parseWhen(flag, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return t, nil
		}
	}
	for back, name := range []string{"today", "yesterday"} {
		if text == name {
			year, month, day := now.Date()
			return time.Date(year, month, day-back, 0, 0, 0, 0, now.Location()), nil
		}
	}
	if ago, err := config.ParseDuration(text); err == nil {
		return now.Add(-ago), nil
	}
	err := usagef("--%s: %q is no date", flag, text)
	err.Hint = "write 2026-11-21, 2026-11-21T15:04, yesterday, or how long ago: 12h, 7d"
	return time.Time{}, err
}

// oneOf checks a flag with fixed values; empty is unset.
func oneOf(flag, value string, allowed ...string) error {
	if value == "" || slices.Contains(allowed, value) {
		return nil
	}
	return usagef("--%s: want one of %s, have %q", flag, strings.Join(allowed, ", "), value)
}

// atLeastOne insists on arguments and says which.
func atLeastOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 || strings.TrimSpace(strings.Join(args, "")) == "" {
			err := usagef("%s needs %s", cmd.CommandPath(), what)
			err.Hint = "see '" + cmd.CommandPath() + " --help'"
			return err
		}
		return nil
	}
}

// exactly insists on n arguments and says which.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			err := usagef("%s takes %s, have %s", cmd.CommandPath(), what, plural.Count(len(args), "argument"))
			err.Hint = "see '" + cmd.CommandPath() + " --help'"
			return err
		}
		return nil
	}
}
