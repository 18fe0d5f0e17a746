package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"agentflow/app"
	"agentflow/config"
	"agentflow/internal/plural"
	"agentflow/memory"

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

// valueFlag is a flag whose text is read as it is given. The error of set is a
// usage error, which flagError passes on with the flag's name.
type valueFlag struct {
	text string
	set  func(text string) error
}

func (f *valueFlag) String() string { return f.text }
func (f *valueFlag) Type() string   { return "string" }

func (f *valueFlag) Set(text string) error {
	if f.text = text; text == "" { // as if it had not been given
		return nil
	}
	return f.set(text)
}

// flagError is the error of a flag that cannot be read.
func flagError(cmd *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	var known *app.Error
	if errors.As(err, &invalid) && errors.As(err, &known) {
		return &app.Error{Kind: known.Kind, Err: fmt.Errorf("--%s: %w", invalid.GetFlag().Name, known.Err), Hint: known.Hint}
	}
	return &app.Error{Kind: app.KindUsage, Err: err, Hint: "see '" + cmd.CommandPath() + " --help'"}
}

// dateFlag is a flag with a day, a time, or how long ago. A day is its first
// moment.
func dateFlag(cmd *cobra.Command, to *time.Time, name, usage string) {
	cmd.Flags().Var(&valueFlag{set: func(text string) (err error) {
		*to, err = parseWhen(text, time.Now())
		return err
	}}, name, usage)
}

// periodFlags are --since and --until.
func periodFlags(cmd *cobra.Command, since, until *time.Time) {
	dateFlag(cmd, since, "since", "only from this `date` on (2026-11-21, or 7d for the last week)")
	dateFlag(cmd, until, "until", "only before this `date`")
}

func parseWhen(text string, now time.Time) (time.Time, error) {
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
	err := usagef("%q is no date", text)
	err.Hint = "write 2026-11-21, 2026-11-21T15:04, yesterday, or how long ago: 12h, 7d"
	return time.Time{}, err
}

// choiceFlag is a flag with one of a few values, which completion offers.
func choiceFlag[T ~string](cmd *cobra.Command, to *T, name, usage string, allowed ...T) {
	var names []string
	for _, value := range allowed {
		names = append(names, string(value))
	}
	cmd.Flags().Var(&valueFlag{text: string(*to), set: func(text string) error {
		if !slices.Contains(names, text) {
			return usagef("want one of %s, have %q", strings.Join(names, ", "), text)
		}
		*to = T(text)
		return nil
	}}, name, usage)
	complete(cmd, name, names...)
}

// typeFlag is --type of facts.
func typeFlag(cmd *cobra.Command, to *memory.FactType, usage string) {
	choiceFlag(cmd, to, "type", usage+": semantic, episodic or procedural", memory.Semantic, memory.Episodic, memory.Procedural)
}

// shareFlag is a flag with a number from 0 to 1.
func shareFlag(cmd *cobra.Command, to *float64, name, usage string) {
	cmd.Flags().Var(&valueFlag{set: func(text string) error {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || !(x >= 0 && x <= 1) {
			return usagef("want a number from 0 to 1, have %q", text)
		}
		*to = x
		return nil
	}}, name, usage)
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
