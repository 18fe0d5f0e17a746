package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"agentflow/app"
	"agentflow/internal/describe"
	"agentflow/internal/plural"
	"agentflow/internal/terminal"
	"agentflow/internal/textwidth"
	"agentflow/memory"
)

// printRun prints the result of a run.
func printRun(c *cli, res *app.RunResult) error {
	printUnkept(c, res)
	if err := c.result(nil, res.Run, func() { acknowledge(c, res) }); err != nil {
		return err
	}
	if res.Reason != "" {
		c.fail(errors.New(textwidth.Cut(res.Reason, maxReason)))
	}
	for _, line := range res.Run.Hints {
		c.hint("%s", line)
	}
	return nil
}

// maxReason is how much of a reason is printed, in runes.
const maxReason = 300

// printUnkept prints the entry of a run that nothing could keep.
func printUnkept(c *cli, res *app.RunResult) {
	if res.Lost != "" {
		c.warn("nothing could keep the entry of this run; here it is whole:")
		fmt.Fprintf(c.err, "%s", memory.Clean(res.Lost))
		c.hint("'agentflow doctor' says what cannot be written")
	}
}

// acknowledge prints what was remembered.
func acknowledge(c *cli, res *app.RunResult) {
	run := &res.Run
	if res.MemoryFile != "" {
		for _, f := range run.Memories {
			c.say("remembered %s: %s", memory.ShortID(f.ID), textwidth.Cut(strings.ReplaceAll(f.Text, "\n", " "), 120))
		}
	}
	if c.live != nil && !c.quiet {
		for _, line := range res.Tools {
			c.line("2", "  "+textwidth.Cut(line, terminal.Columns()-3))
		}
	}
	for _, denied := range run.Denials {
		c.warn("denied: %s", denied)
	}
	for _, remark := range run.Remarks {
		c.say("%s", remark)
	}
	line := runLine(res)
	if res.MemoryFile != "" {
		line += " → " + res.MemoryFile
	}
	c.say("%s", line)
	for _, line := range worktreeLines(res.Worktree) {
		c.say("%s", line)
	}
}

// worktreeLines says what became of a run's work tree, and how to continue.
func worktreeLines(tree *app.WorktreeLeft) []string {
	if tree == nil {
		return nil
	}
	lines := []string{tree.Text}
	for _, step := range tree.Steps {
		lines = append(lines, "  "+step)
	}
	return lines
}

// runLine describes a run in one line: how it ended, what it took and left.
func runLine(res *app.RunResult) string {
	run, cost := &res.Run, ""
	if run.CostUSD > 0 {
		cost = ", " + memory.Price(run.CostUSD)
	}
	took := plural.Duration(time.Duration(run.DurationMS) * time.Millisecond)
	ended := strings.ReplaceAll(string(run.Outcome), "_", " ") + " in " + took
	switch run.Outcome {
	case memory.OutcomeTimeout:
		ended = "timed out after " + took
	case memory.OutcomeNotStarted:
		ended = "did not start"
	}
	if res.Unchanged {
		cost += ", changed nothing that git sees"
	}
	return fmt.Sprintf("run %s %s%s%s", memory.ShortID(run.ID), ended, cost, describe.Size(*run))
}

// exitOfRun returns the exit code of a run, the first that applies.
func exitOfRun(res *app.RunResult, o runOptions) error {
	code, run := exitOK, &res.Run
	switch {
	case run.Outcome == memory.OutcomeInterrupted && res.Terminated:
		code = exitTerminated
	case run.Outcome == memory.OutcomeInterrupted:
		code = exitInterrupted
	case run.Outcome == memory.OutcomeTimeout:
		code = exitTimeout
	case run.Outcome == memory.OutcomeNotStarted:
		code = exitNotStarted
	case o.passthrough && run.ExitCode > 0:
		code = run.ExitCode
	case run.Outcome != memory.OutcomeOK && !o.passthrough:
		code = exitAgent
	case res.NotRecorded, o.strict && len(run.Degraded) > 0:
		code = exitNotRecorded
	}
	if code == exitOK {
		return nil
	}
	return ended{code: code, err: fmt.Errorf("the run ended: %s", run.Outcome), reported: true}
}
