package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"agentflow/app"
	"agentflow/internal/cliflag"
	"agentflow/memory"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// FlagError returns the error for a flag that cannot be parsed.
func FlagError(cmd *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	var known *cliflag.Error
	if errors.As(err, &invalid) && errors.As(err, &known) {
		form := "--%s: %w"
		if strings.HasPrefix(known.Error(), "must ") {
			form = "--%s %w"
		}
		return &cliflag.Error{Err: fmt.Errorf(form, invalid.GetFlag().Name, known.Err), Hint: known.Hint}
	}
	return &cliflag.Error{Err: err, Hint: "see '" + cmd.CommandPath() + " --help'"}
}

// PeriodFlags adds --since and --until.
func PeriodFlags(cmd *cobra.Command, since, until *time.Time) {
	cliflag.Date(cmd, since, "since", "only from this `date` on (2026-11-21, or 7d for the last week)")
	cliflag.Date(cmd, until, "until", "only before this `date`")
}

// SharingFlags adds the flags that select what others share.
func SharingFlags(cmd *cobra.Command, shared *bool, author *string) {
	cmd.Flags().BoolVar(shared, "shared", false, "what others share too")
	cmd.Flags().StringVar(author, "author", "", "only what this `person` shares, or stored through the server of your team")
}

// TypeFlag adds --type for facts.
func TypeFlag(cmd *cobra.Command, to *memory.FactType, usage string) {
	cliflag.Choice(cmd, to, "type", usage+": semantic, episodic or procedural", memory.Semantic, memory.Episodic, memory.Procedural)
}

// WithJSON gives a command --json and --jq.
func (c *Env) WithJSON(what string, cmd *cobra.Command) *cobra.Command {
	return cliflag.JSON(&c.Selection, what, cmd)
}

// Strict refuses arguments where a command's usage names none, and gives each
// command that only groups others its help.
func Strict(cmd *cobra.Command) {
	for _, below := range cmd.Commands() {
		Strict(below)
	}
	cmd.DisableFlagsInUseLine = strings.Contains(cmd.Use, " ") // else cobra puts [flags] behind the arguments
	takesNone := strings.TrimSuffix(cmd.Use, " [flags]") == cmd.Name()
	switch {
	case cmd.RunE == nil:
		cmd.Args, cmd.RunE = NoCommand, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	case cmd.Args == nil && takesNone:
		cmd.Args = cliflag.Exactly(0, "no arguments")
	}
}

// KindUsage describes the flag --kind.
const KindUsage = "only this `kind`: run, session, commit or note"

// NoCommand refuses a word that is no command, and names similar commands.
func NoCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	err := Usagef("%s has no command %q", cmd.CommandPath(), args[0])
	switch near := cmd.SuggestionsFor(args[0]); {
	case len(near) > 0:
		err.Hint = "did you mean '" + cmd.CommandPath() + " " + near[0] + "'?"
	case cmd.HasParent():
		err.Hint = "see '" + cmd.CommandPath() + " --help'"
	default:
		err.Hint = "'agentflow run \"" + args[0] + " …\"' starts an agent; 'agentflow --help' lists the commands"
	}
	return err
}

// QuietFlag adds the flag that silences notices.
func (c *Env) QuietFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&c.Quiet, "quiet", "q", c.Quiet, "say only what does not work")
}

// Hushed returns ctx for an operation that, with --quiet, prints only
// warnings.
func (c *Env) Hushed(ctx context.Context) context.Context {
	if c.Quiet {
		return app.Quiet(ctx)
	}
	return ctx
}
