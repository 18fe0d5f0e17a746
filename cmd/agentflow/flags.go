package main

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

// flagError returns the error for a flag that cannot be parsed.
func flagError(cmd *cobra.Command, err error) error {
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

// periodFlags adds --since and --until.
func periodFlags(cmd *cobra.Command, since, until *time.Time) {
	cliflag.Date(cmd, since, "since", "only from this `date` on (2026-11-21, or 7d for the last week)")
	cliflag.Date(cmd, until, "until", "only before this `date`")
}

// sharingFlags adds the flags that select what others share.
func sharingFlags(cmd *cobra.Command, shared *bool, author *string) {
	cmd.Flags().BoolVar(shared, "shared", false, "what others share too")
	cmd.Flags().StringVar(author, "author", "", "only what this `person` shares, or stored through the server of your team")
}

// typeFlag adds --type for facts.
func typeFlag(cmd *cobra.Command, to *memory.FactType, usage string) {
	cliflag.Choice(cmd, to, "type", usage+": semantic, episodic or procedural", memory.Semantic, memory.Episodic, memory.Procedural)
}

// withJSON gives a command --json and --jq.
func (c *cli) withJSON(what string, cmd *cobra.Command) *cobra.Command {
	return cliflag.JSON(&c.selection, what, cmd)
}

// strict refuses arguments where a command's usage names none, and gives each
// command that only groups others its help.
func strict(cmd *cobra.Command) {
	for _, below := range cmd.Commands() {
		strict(below)
	}
	cmd.DisableFlagsInUseLine = strings.Contains(cmd.Use, " ") // else cobra puts [flags] behind the arguments
	takesNone := strings.TrimSuffix(cmd.Use, " [flags]") == cmd.Name()
	switch {
	case cmd.RunE == nil:
		cmd.Args, cmd.RunE = noCommand, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	case cmd.Args == nil && takesNone:
		cmd.Args = cliflag.Exactly(0, "no arguments")
	}
}

// kindUsage describes the flag --kind.
const kindUsage = "only this `kind`: run, session, commit or note"

// noCommand refuses a word that is no command, and names similar commands.
func noCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	err := usagef("%s has no command %q", cmd.CommandPath(), args[0])
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

// quietFlag adds the flag that silences notices.
func (c *cli) quietFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVarP(&c.quiet, "quiet", "q", c.quiet, "say only what does not work")
}

// hushed returns ctx for an operation that, with --quiet, prints only
// warnings.
func (c *cli) hushed(ctx context.Context) context.Context {
	if c.quiet {
		return app.Quiet(ctx)
	}
	return ctx
}
