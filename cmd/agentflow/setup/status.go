package setup

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"agentflow/app/api"
	"agentflow/app/connect"
	"agentflow/app/list"
	"agentflow/app/setup"
	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/cliflag"
	"agentflow/internal/describe"
	"agentflow/internal/plural"
	"agentflow/memory"

	"github.com/spf13/cobra"
)

// Status returns the command status.
func Status(c *cli.Env) *cobra.Command {
	var req setup.StatusRequest
	var all bool
	cmd := c.WithJSON("one JSON object; with --all the list of memories", &cobra.Command{
		Use:   "status [flags]",
		Short: "Show what memory holds and whether all is well",
		Long: `Status shows the contents of memory, active runs, pending writes, entries and
facts that vanished without forget, and the last failures.

An entry records one run, one part of a session, one commit that neither made, or
one note. A fact is one lasting statement: in a note, in the entry of a run, or in
MEMORY.md. The index finds pieces of text, each an entry, a fact or a part of one.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if all {
				return printMemories(cmd.Context(), c)
			}
			found, err := setup.Status(cmd.Context(), c.Memory, req)
			return c.Result(err, found.Status, func() { printStatus(c, found) })
		},
	})
	cmd.Flags().BoolVar(&all, "all", false, "list the memories of all repositories instead")
	cmd.Flags().BoolVar(&req.ClearFailures, "clear", false, "forget the failures that were recorded so far")
	cliflag.Exclusive(cmd, "all", "clear")
	return cmd
}

// printMemories lists the memories of this user.
func printMemories(ctx context.Context, c *cli.Env) error {
	found, err := setup.Memories(ctx, c.Memory)
	return c.Result(err, found.Memories, func() {
		for _, m := range found.Memories {
			root, changed := c.FromHome(m.Root), ""
			if m.Global {
				root += " (your own memory)"
			}
			if m.Changed != nil {
				changed = ", last written " + m.Changed.Local().Format(cli.Minute)
			}
			if m.Hooks {
				changed += ", git hooks"
			}
			c.Printf("%s  %s\n", cli.CleanLine(root), c.Dim(plural.Count(m.Files, "file")+", "+plural.Bytes(m.Bytes)+changed))
		}
		if len(found.Memories) == 0 {
			c.Say("there is no memory yet: one is made by the first session or run in a repository")
		}
	})
}

func printStatus(c *cli.Env, found connect.StatusResult) {
	o := found.Status
	row := func(label, format string, args ...any) { c.Row(9, label, format, args...) }
	row("memory", "%s: %s (%s, %s, %s, %s), %s, in %s", o.Memory, plural.Count(o.Runs+o.Sessions+o.Commits+o.Notes, "entry"), plural.Count(o.Runs, "run"),
		plural.Count(o.Sessions, "session"), plural.Count(o.Commits, "commit"), plural.Count(o.Notes, "note"), plural.Count(o.Facts, "fact"), plural.Count(o.Files, "Markdown file"))
	if r := o.LastRun; r != nil {
		row("last", "%s  %s  %s %s  %s%s  %s", memory.ShortID(r.ID), r.StartedAt.Local().Format(cli.Minute), r.Kind, describe.Outcome(*r), memory.Title(r.Task), describe.Size(*r), c.At(r.MemoryPath))
	}
	for _, r := range o.Live {
		row("running", "%s  %s since %s  %s", memory.ShortID(r.ID), r.Agent, r.Started.Local().Format(cli.Minute+":05"), memory.Title(r.Task))
	}
	for _, r := range found.Open {
		row("open", "%s  session with %s since %s  %s", memory.ShortID(r.ID), r.Agent, r.StartedAt.Local().Format(cli.Minute), list.OpenTitle(r))
	}
	for _, t := range o.Trees {
		row("worktree", "%s on branch %s; when it is merged: %s", t.Path, t.Branch, t.Remove)
	}
	i := o.Index
	row("index", "%s", indexState(i))
	row("vectors", "%s", vectorsLine(i))
	if k := o.Contents; k != nil {
		row("contents", "%s", setup.ContentsInWords(*k))
	}
	if w := o.Watch; w != nil {
		row(w.Command, "process %d on %s since %s", w.PID, w.Host, w.Since.Local().Format(cli.Minute+":05"))
	} else {
		row("watch", "none; searching brings the index up to date itself")
	}
	for _, s := range o.Schedules {
		row("schedule", "%s: %s; %s", s.Name, whenDue(s), howEnded(s))
	}
	if found.InGit {
		row("git hooks", "%s", found.Hooks)
	}
	row("agents", "%s", agentsLine(found.Agents))
	if found.LeftOut {
		row("sessions", "none: %s", connect.LeftOutInWords)
	}
	if o.Pending > 0 {
		row("pending", "%s in the log not yet in Markdown; the next command that writes finishes them", plural.Count(o.Pending, "record"))
	}
	if o.Lock != "" {
		row("lock", "held by %s", o.Lock)
	}
	for _, e := range o.Vanished {
		row("vanished", "%s  %s  (%s); 'agentflow memory restore %s' brings it back", memory.ShortID(e.ID), e.Title, cli.AtEntry(c, e.File), memory.ShortID(e.ID))
	}
	if b := o.FromRepository; b != nil {
		row("brought", "%s; %s", b.Why, b.Hint)
	}
	for _, f := range o.Failures {
		row("failed", "%s  %s: %s", f.Time.Local().Format(cli.Minute), f.Command, f.What)
	}
	for _, line := range o.Degraded {
		row("degraded", "%s", line)
	}
}

// agentsLine describes the connected agents.
func agentsLine(list []api.Connection) string {
	if len(list) == 0 {
		return "none connected; 'agentflow connect' makes their sessions remember"
	}
	words := make([]string, len(list))
	for i, found := range list {
		words[i] = found.Agent + ": " + found.State
	}
	return strings.Join(words, ", ")
}

// indexState describes the state of the index.
func indexState(i api.IndexStatus) string {
	if i.Provider == "" {
		return "none: there is no text to search yet" // there is no memory
	}
	return fmt.Sprintf("%s: %s of text of %s (%d outside memory), %s", i.State, plural.Count(i.Chunks, "piece"), plural.Count(i.Files, "Markdown file"), i.Included, plural.Bytes(i.Bytes))
}

// vectorsLine describes the state of searching by meaning.
func vectorsLine(i api.IndexStatus) string {
	if i.Provider == "" {
		return "" // there is no memory
	}
	if i.Provider == "none" {
		return "none: searching goes by keywords"
	}
	text := fmt.Sprintf("%s: %d of %s", i.Provider, i.Vectors, plural.Count(i.Chunks, "piece"))
	if i.Pending > 0 {
		text += fmt.Sprintf(", %d waiting; 'agentflow index' completes them", i.Pending)
	}
	return text
}

// Doctor returns the command doctor.
func Doctor(c *cli.Env) *cobra.Command {
	return c.WithJSON("one JSON list of name, grade, detail, hint", &cobra.Command{
		Use:   "doctor",
		Short: "Check the set-up: agent, login, permissions, git, embedder, settings, index, log",
		Long: `Doctor checks what a run needs and says how to mend each problem. It
exits with 1 when a check failed; warnings do not count.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			found, err := setup.Doctor(cmd.Context(), c.Memory)
			err = c.Result(err, found.Checks, func() { printChecks(c, found.Checks) })
			for _, check := range found.Checks {
				if err == nil && check.Grade == api.GradeFail {
					err = cli.Ended{Code: cli.ExitError, Err: errors.New("a check failed"), Reported: true}
				}
			}
			return err
		},
	})
}

func printChecks(c *cli.Env, checks []api.Check) {
	colours := map[api.Grade]string{api.GradeOK: "32", api.GradeWarn: "33", api.GradeFail: "31"}
	width := 11
	for _, check := range checks {
		width = max(width, len(check.Name))
	}
	for _, check := range checks {
		line := cli.Folded(c, fmt.Sprintf("%-4s  %-*s %s", check.Grade, width, check.Name, cli.CleanLine(check.Detail)), width+7)
		c.Printf("%s%s\n", c.Style(colours[check.Grade], line[:4]), line[4:])
		if check.Hint != "" {
			c.Printf("%s\n", c.Dim(cli.Folded(c, strings.Repeat(" ", width+7)+"hint: "+cli.CleanLine(check.Hint), width+7)))
		}
	}
}
