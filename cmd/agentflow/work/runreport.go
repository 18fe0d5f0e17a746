package work

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"agentflow/app"
	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/describe"
	"agentflow/internal/plural"
	"agentflow/internal/terminal"
	"agentflow/internal/textwidth"
	"agentflow/memory"
)

// printRun prints the result of a run.
func printRun(c *cli.Env, res *app.RunResult) error {
	printUnkept(c, res)
	if err := c.Result(nil, res.Run, func() { acknowledge(c, res) }); err != nil {
		return err
	}
	if res.Reason != "" {
		c.Fail(errors.New(textwidth.Cut(res.Reason, maxReason)))
	}
	for _, line := range res.Run.Hints {
		c.Hint("%s", line)
	}
	return nil
}

// maxReason limits a printed reason, in runes.
const maxReason = 300

// printUnkept prints the entry of a run that nothing could keep.
func printUnkept(c *cli.Env, res *app.RunResult) {
	if res.Lost != "" {
		c.Warn("nothing could keep the entry of this run; here it is whole:")
		fmt.Fprintf(c.Err, "%s", memory.Clean(res.Lost))
		c.Hint("'agentflow doctor' says what cannot be written")
	}
}

// acknowledge prints what was remembered.
func acknowledge(c *cli.Env, res *app.RunResult) {
	run := &res.Run
	if res.MemoryFile != "" {
		for _, f := range run.Memories {
			c.Say("remembered %s: %s", memory.ShortID(f.ID), textwidth.Cut(strings.ReplaceAll(f.Text, "\n", " "), 120))
		}
	}
	if c.Live != nil && !c.Quiet {
		for _, line := range res.Tools {
			c.Line("2", "  "+textwidth.Cut(line, terminal.Columns()-3))
		}
	}
	for _, denied := range run.Denials {
		c.Warn("denied: %s", denied)
	}
	for _, remark := range run.Remarks {
		c.Say("%s", remark)
	}
	line := runLine(res)
	if res.MemoryFile != "" {
		line += " → " + res.MemoryFile
	}
	c.Say("%s", line)
	for _, line := range worktreeLines(res.Worktree) {
		c.Say("%s", line)
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
	code, run := cli.ExitOK, &res.Run
	switch {
	case run.Outcome == memory.OutcomeInterrupted && res.Terminated:
		code = cli.ExitTerminated
	case run.Outcome == memory.OutcomeInterrupted:
		code = cli.ExitInterrupted
	case run.Outcome == memory.OutcomeTimeout:
		code = cli.ExitTimeout
	case run.Outcome == memory.OutcomeNotStarted:
		code = cli.ExitNotStarted
	case o.passthrough && run.ExitCode > 0:
		code = run.ExitCode
	case run.Outcome != memory.OutcomeOK && !o.passthrough:
		code = cli.ExitAgent
	case res.NotRecorded, o.strict && len(run.Degraded) > 0:
		code = cli.ExitNotRecorded
	}
	if code == cli.ExitOK {
		return nil
	}
	return cli.Ended{Code: code, Err: fmt.Errorf("the run ended: %s", run.Outcome), Reported: true}
}
