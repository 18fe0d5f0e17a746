package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"agentflow/api"
	"agentflow/app"
	"agentflow/internal/cliflag"

	"github.com/spf13/cobra"
)

// ownProgram is this program; empty where the system does not say.
func ownProgram() string {
	program, err := os.Executable()
	if err != nil {
		return ""
	}
	return program
}

type connectOptions struct {
	app.ConnectRequest
	yes, dryRun, status, every, here bool
}

func (c *cli) connectCommand() *cobra.Command {
	var o connectOptions
	cmd := &cobra.Command{
		Use:   "connect [flags] [AGENT…]",
		Short: "Make agents' own sessions remember",
		Long: `Connect makes the sessions that you hold with an agent yourself remember: claude,
codex, gemini or opencode; without a name all that are installed. It shows what it
will write and where, and asks. Claude gets a plugin, with hooks, the tools of
memory and the commands /recall, /remember, /forget and /why; Codex gets hooks and
the tools; Gemini and opencode get the tools. Only settings of your own are changed,
never a file of a repository. 'agentflow disconnect' takes everything out again.`,
		Example: "  agentflow connect\n  agentflow connect --hooks --here claude\n  agentflow connect --status",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Agents = args
			if o.status {
				return c.connectStatus(cmd.Context())
			}
			return c.connect(cmd.Context(), o)
		},
	}
	completeAgents(cmd)
	f := cmd.Flags()
	f.BoolVar(&o.Hooks, "hooks", false, "connect Claude by lines in its settings, and not by a plugin")
	f.BoolVar(&o.every, "every", false, "remember sessions in every repository ([session] where)")
	f.BoolVar(&o.here, "here", false, "remember sessions in this repository and those already listed alone")
	f.BoolVar(&o.status, "status", false, "show which agents are connected, and change nothing")
	cliflag.Exclusive(cmd, "every", "here", "status")
	c.connectFlags(cmd, &o)
	return c.withJSON("what is written, as one JSON object; with --status the list of agents", cmd)
}

func (c *cli) disconnectCommand() *cobra.Command {
	var o connectOptions
	cmd := &cobra.Command{
		Use:   "disconnect [flags] [AGENT…]",
		Short: "Take out what connect put into agents' settings",
		Long: `Disconnect takes out of an agent's settings, or of those of all agents, what
'agentflow connect' put there. A file that nobody changed since has the same bytes
as before; otherwise our lines alone are taken out. What was remembered stays.`,
		Example: "  agentflow disconnect claude",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Agents = args
			plan, err := c.memory.PlanDisconnect(cmd.Context(), o.ConnectRequest)
			if err != nil {
				return err
			}
			return c.applyConnect(cmd.Context(), plan, o, "nothing of agentflow is in the agents' settings", "disconnect these?", nil)
		},
	}
	completeAgents(cmd)
	c.connectFlags(cmd, &o)
	return c.withJSON("what is written, as one JSON object", cmd)
}

func (c *cli) connectFlags(cmd *cobra.Command, o *connectOptions) {
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "show what would be written, and write nothing")
}

func completeAgents(cmd *cobra.Command) {
	cmd.ValidArgs = app.ConnectAgents
}

func (c *cli) connect(ctx context.Context, o connectOptions) error {
	plan, err := c.memory.PlanConnect(ctx, o.ConnectRequest)
	if err != nil {
		return err
	}
	where := app.SessionsAsBefore
	switch {
	case o.every:
		where = app.SessionsEvery
	case o.here:
		where = app.SessionsHere
	}
	return c.applyConnect(ctx, plan, o, "everything is connected already", "write this?", func() error {
		if where == app.SessionsAsBefore && !o.yes && c.inTTY && c.errTTY {
			where = c.askWhere()
		}
		set, err := c.memory.RememberSessions(ctx, where)
		if err == nil && set.File != "" {
			c.say("sessions are remembered in %s, by %s", set.Words, set.File)
		}
		return err
	})
}

// askWhere asks where sessions are remembered.
func (c *cli) askWhere() app.SessionsWhere {
	switch strings.ToLower(c.answer("remember sessions in every repository, in this one and those listed, or as the settings say now? [every/this/now] ")) {
	case "e", "every":
		return app.SessionsEvery
	case "t", "this":
		return app.SessionsHere
	}
	return app.SessionsAsBefore
}

// applyConnect shows a plan, asks, and does it.
func (c *cli) applyConnect(ctx context.Context, plan app.ConnectPlan, o connectOptions, nothing, question string, then func() error) error {
	change := plan.Change
	if !c.selection.Wanted {
		c.printConnect(change)
	}
	if plan.Empty() && len(plan.Left()) == 0 && !c.selection.Wanted {
		c.say("%s", nothing)
	}
	if !o.dryRun {
		if !plan.Empty() {
			if err := c.confirm(question, o.yes); err != nil {
				return err
			}
			done, err := c.memory.ApplyConnect(ctx, plan)
			if err != nil {
				return err
			}
			change = done.Change
		}
		if then != nil {
			if err := then(); err != nil {
				return err
			}
		}
	}
	err := c.result(nil, change, func() {
		for _, note := range change.Notes {
			c.hint("%s", cleanLine(note))
		}
		if change.Applied {
			c.say("done")
		}
	})
	if left := plan.Left(); err == nil && len(left) > 0 {
		err = &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("%s was left as it is: %s", left[0].Path, left[0].Why), Hint: "put it right, then try again"}
	}
	return err
}

// printConnect shows what would be written, and where.
func (c *cli) printConnect(change api.ConnectChange) {
	for _, f := range change.Files {
		if f.Action == "leave" {
			c.warn("%s: leaving %s as it is: %s", f.Agent, f.Path, f.Why)
			continue
		}
		c.printf("%s  %s %s\n", c.bold(f.Agent), f.Action, cleanLine(f.Path))
		for _, line := range f.Diff {
			colour := map[byte]string{'-': "31", '+': "32", '@': "2"}[line[0]]
			c.printf("    %s\n", c.style(colour, cleanLine(line)))
		}
	}
	for _, line := range change.Commands {
		c.printf("%s  %s\n", c.bold("claude"), cleanLine(line))
	}
}

func (c *cli) connectStatus(ctx context.Context) error {
	found, err := c.memory.ConnectStatus(ctx)
	if err != nil {
		return err
	}
	return c.result(nil, found.Connections, func() {
		for _, f := range found.Connections {
			detail := "not installed"
			switch {
			case f.Way != "":
				detail = "by " + f.Way + ", runs " + f.Program
				switch {
				case f.Seen != nil:
					detail += ", last hook at " + f.Seen.Local().Format("2006-01-02 15:04")
				case f.Way != "tools":
					detail += ", no hook came yet"
				}
			case f.Installed != "":
				detail = filepath.ToSlash(f.Installed)
			}
			c.printf("%-9s %-14s %s\n", f.Agent, f.State, c.dim(cleanLine(detail)))
			if f.Off != "" {
				c.printf("%-24s %s\n", "", cleanLine("switched off by "+f.Off+": "+f.Remedy))
			}
		}
	})
}
