package main

import (
	"errors"
	"fmt"
	"time"

	"agentflow/internal/cliflag"
	"agentflow/memory"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagError is the error of a flag that cannot be read.
func flagError(cmd *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	var known *cliflag.Error
	if errors.As(err, &invalid) && errors.As(err, &known) {
		return &cliflag.Error{Err: fmt.Errorf("--%s: %w", invalid.GetFlag().Name, known.Err), Hint: known.Hint}
	}
	return &cliflag.Error{Err: err, Hint: "see '" + cmd.CommandPath() + " --help'"}
}

// periodFlags are --since and --until.
func periodFlags(cmd *cobra.Command, since, until *time.Time) {
	cliflag.Date(cmd, since, "since", "only from this `date` on (2026-11-21, or 7d for the last week)")
	cliflag.Date(cmd, until, "until", "only before this `date`")
}

// typeFlag is --type of facts.
func typeFlag(cmd *cobra.Command, to *memory.FactType, usage string) {
	cliflag.Choice(cmd, to, "type", usage+": semantic, episodic or procedural", memory.Semantic, memory.Episodic, memory.Procedural)
}
