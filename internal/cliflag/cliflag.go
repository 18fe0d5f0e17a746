// Package cliflag has the kinds of flags and checks of arguments that commands
// share: dates, choices, numbers from 0 to 1. It does not depend on any
// command.
package cliflag

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"agentflow/internal/duration"
	"agentflow/internal/plural"
)

// Error reports why a flag or an argument is invalid, with a hint.
type Error struct {
	Err  error
	Hint string
}

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

func errorf(format string, args ...any) *Error { return &Error{Err: fmt.Errorf(format, args...)} }

// Complete offers fixed values for a flag.
func Complete(cmd *cobra.Command, flag string, values ...string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

// SpellTags makes a command and its subcommands accept both --tag and --tags.
// The help shows the one that is defined.
func SpellTags(cmd *cobra.Command) {
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
		SpellTags(below)
	}
}

// Exclusive makes a command accept at most one of these flags. It may be called
// for several groups of a command.
func Exclusive(cmd *cobra.Command, names ...string) {
	cmd.MarkFlagsMutuallyExclusive(names...) // so that completion does not offer a second one
	before := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if before != nil {
			if err := before(cmd, args); err != nil {
				return err
			}
		}
		var given []string
		for _, name := range names {
			if cmd.Flags().Changed(name) {
				given = append(given, "--"+name)
			}
		}
		if len(given) > 1 {
			return errorf("%s do not go together: give one of them", strings.Join(given, " and "))
		}
		return nil
	}
}

// value is a flag that parses its text when it is set.
type value struct {
	kind string // "string" when empty
	text string
	set  func(text string) error
}

func (f *value) String() string { return f.text }

// Type implements pflag.Value. The help shows it as the kind of the flag's
// value.
func (f *value) Type() string { return cmp.Or(f.kind, "string") }

func (f *value) Set(text string) error {
	f.text = text
	return f.set(text)
}

// unlessEmpty ignores a flag with an empty text.
func unlessEmpty(set func(text string) error) func(text string) error {
	return func(text string) error {
		if text == "" {
			return nil
		}
		return set(text)
	}
}

// Date defines a flag with a day, a time, or how long ago. A day means its
// first moment.
func Date(cmd *cobra.Command, to *time.Time, name, usage string) {
	cmd.Flags().Var(&value{set: unlessEmpty(func(text string) (err error) {
		if *to, err = duration.ParseDate(text, time.Now()); err != nil {
			return &Error{Err: err, Hint: duration.DateForms}
		}
		return nil
	})}, name, usage)
}

// Choice defines a flag with one of a few values, which completion offers.
func Choice[T ~string](cmd *cobra.Command, to *T, name, usage string, allowed ...T) {
	var names []string
	for _, value := range allowed {
		names = append(names, string(value))
	}
	cmd.Flags().Var(&value{text: string(*to), set: unlessEmpty(func(text string) error {
		if !slices.Contains(names, text) {
			return errorf("must be %s, not %q", plural.Or(names), text)
		}
		*to = T(text)
		return nil
	})}, name, usage)
	Complete(cmd, name, names...)
}

// Choices defines a flag that may be repeated, each time with one of a few
// values, which completion offers.
func Choices[T ~string](cmd *cobra.Command, to *[]T, name, usage string, allowed ...T) {
	var one T
	Choice(cmd, &one, name, usage+"; may be repeated", allowed...)
	flag := cmd.Flags().Lookup(name)
	choice := flag.Value.(*value)
	read := choice.set
	choice.set = func(text string) error {
		err := read(text)
		if err == nil && text != "" && !slices.Contains(*to, one) {
			*to = append(*to, one)
		}
		return err
	}
}

// AtLeast defines a flag with a whole number that is at least least; letter may
// be empty.
func AtLeast(cmd *cobra.Command, to *int, name, letter string, least int, usage string) {
	number(cmd, to, name, letter, least, math.MaxInt, fmt.Sprintf("of at least %d", least), usage)
}

// Between defines a flag with a whole number from least to most.
func Between(cmd *cobra.Command, to *int, name string, least, most int, usage string) {
	number(cmd, to, name, "", least, most, fmt.Sprintf("from %d to %d", least, most), usage)
}

func number(cmd *cobra.Command, to *int, name, letter string, least, most int, which, usage string) {
	cmd.Flags().VarP(&value{kind: "int", text: strconv.Itoa(*to), set: func(text string) (err error) {
		if *to, err = strconv.Atoi(text); err != nil || *to < least || *to > most {
			return errorf("want a whole number %s, have %q", which, text)
		}
		return nil
	}}, name, letter, usage)
}

// Text defines a flag that set parses or rejects.
func Text(cmd *cobra.Command, name, initial, usage string, set func(text string) error) {
	cmd.Flags().Var(&value{text: initial, set: func(text string) error {
		if err := set(text); err != nil {
			return &Error{Err: err}
		}
		return nil
	}}, name, usage)
}

// Share defines a flag with a number from 0 to 1.
func Share(cmd *cobra.Command, to *float64, name, usage string) {
	cmd.Flags().Var(&value{set: unlessEmpty(func(text string) error {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || !(x >= 0 && x <= 1) {
			return errorf("want a number from 0 to 1, have %q", text)
		}
		*to = x
		return nil
	})}, name, usage)
}

// AtLeastOne requires arguments; what names them in the error.
func AtLeastOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 || strings.TrimSpace(strings.Join(args, "")) == "" {
			err := errorf("%s needs %s", cmd.CommandPath(), what)
			err.Hint = "see '" + cmd.CommandPath() + " --help'"
			return err
		}
		return nil
	}
}

// Exactly requires n arguments; what names them in the error.
func Exactly(n int, what string) cobra.PositionalArgs { return between(n, n, what) }

// AtMost allows at most n arguments; what names them in the error.
func AtMost(n int, what string) cobra.PositionalArgs { return between(0, n, what) }

func between(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			err := errorf("%s takes %s, not %s", cmd.CommandPath(), what, plural.Count(len(args), "argument"))
			if len(args) < least {
				err = errorf("%s needs %s", cmd.CommandPath(), what)
			}
			err.Hint = "see '" + cmd.CommandPath() + " --help'"
			return err
		}
		return nil
	}
}
