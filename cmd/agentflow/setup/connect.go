package setup

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/connect"
	"agentflow/app/setup"
	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/cliflag"

	"github.com/spf13/cobra"
)

// OwnProgram returns the path of this program; empty if the system does not report it.
func OwnProgram() string {
	program, err := os.Executable()
	if err != nil {
		return ""
	}
	return program
}

type connectOptions struct {
	connect.ConnectRequest
	yes, dryRun, status, every, here, diff, history bool
}

// Connect returns the command connect.
func Connect(c *cli.Env) *cobra.Command {
	var o connectOptions
	cmd := &cobra.Command{
		Use:   "connect [flags] [AGENT…]",
		Short: "Make agents' own sessions remember",
		Long: `Connect makes the sessions that you hold with an agent yourself remember: claude,
codex, gemini or opencode; without a name all that are installed. It says what it
will read and write, and asks. Claude gets a plugin, with hooks and the tools of
memory, and the commands /remember, /recall, /forget, /files and /why; Codex gets
hooks and the tools; Gemini and opencode get the tools. Only settings of your own
are changed, never a file of a repository. 'agentflow disconnect' takes everything
out again.

In a repository it offers to take the history into memory. Then it shows three
commands that work at once, with their answers.`,
		Example: "  agentflow connect\n  agentflow connect --yes --allow --history\n  agentflow connect --dry-run --diff\n  agentflow connect --status",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Agents = args
			if o.status {
				return connectStatus(cmd.Context(), c)
			}
			return connectAgent(cmd.Context(), c, o)
		},
	}
	completeAgents(cmd)
	f := cmd.Flags()
	f.BoolVar(&o.Hooks, "hooks", false, "connect Claude by lines in its settings, and not by a plugin")
	f.BoolVar(&o.Allow, "allow", false, "let Claude call the tools that only read memory without asking")
	f.BoolVar(&o.history, "history", false, "take the history of this repository into memory, as 'agentflow backfill' does")
	f.BoolVar(&o.every, "every", false, "remember sessions in every repository ([session] where)")
	f.BoolVar(&o.here, "here", false, "remember sessions in this repository and those already listed only")
	f.BoolVar(&o.status, "status", false, "show which agents are connected, and change nothing")
	cliflag.Exclusive(cmd, "every", "here", "status")
	connectFlags(c, cmd, &o)
	return c.WithJSON("print the changes as one JSON object; with --status the list of agents", cmd)
}

// Disconnect returns the command disconnect.
func Disconnect(c *cli.Env) *cobra.Command {
	var o connectOptions
	cmd := &cobra.Command{
		Use:   "disconnect [flags] [AGENT…]",
		Short: "Take out what connect put into agents' settings",
		Long: `Disconnect takes out of an agent's settings, or of those of all agents, what
'agentflow connect' put there. An unchanged file gets its earlier bytes back; from a
changed file only our lines are taken out. The memory stays.`,
		Example: "  agentflow disconnect claude",
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Agents = args
			return disconnect(cmd.Context(), c, o)
		},
	}
	completeAgents(cmd)
	connectFlags(c, cmd, &o)
	return c.WithJSON("print the changes as one JSON object", cmd)
}

func connectFlags(c *cli.Env, cmd *cobra.Command, o *connectOptions) {
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&o.dryRun, "dry-run", false, "say what would be written, and write nothing")
	cmd.Flags().BoolVar(&o.diff, "diff", false, "show each line that is written or taken out")
}

func completeAgents(cmd *cobra.Command) {
	cmd.ValidArgs = connect.ConnectAgents
}

// connectAgent explains, asks, connects, and shows what to do first.
func connectAgent(ctx context.Context, c *cli.Env, o connectOptions) error {
	plan, err := connect.PlanConnect(ctx, c.Memory, o.ConnectRequest)
	if err != nil {
		return err
	}
	if !c.Selection.Wanted {
		explainConnect(c, plan.Change, o.diff, !o.yes)
		if plan.Empty() && len(plan.Left()) == 0 {
			c.Say("everything is connected already")
		}
	}
	if o.dryRun {
		return applied(c, plan, plan.Change, "connected")
	}
	remembered := setup.RemembersHere(ctx, c.Memory)
	asked := !o.yes && !plan.Empty()
	if asked {
		if err := c.Confirm("connect?", o.yes); err != nil {
			return err
		}
		plan = offerAllow(c, plan, o.diff)
	}
	where := whereWanted(c, o, asked, remembered)
	change, err := applyConnect(ctx, c, plan)
	if err == nil {
		err = storeWhere(ctx, c, where)
	}
	if err == nil {
		err = applied(c, plan, change, "connected")
	}
	if err != nil || c.Selection.Wanted {
		return err
	}
	added := !remembered && where != connect.SessionsAsBefore
	return begin(ctx, c, o.history, asked || added && !o.yes, !plan.Empty() || added)
}

func disconnect(ctx context.Context, c *cli.Env, o connectOptions) error {
	plan, err := connect.PlanDisconnect(ctx, c.Memory, o.ConnectRequest)
	if err != nil {
		return err
	}
	if !c.Selection.Wanted {
		explainDisconnect(c, plan.Change, o.diff)
		if plan.Empty() && len(plan.Left()) == 0 {
			c.Say("nothing of agentflow is in the agents' settings")
		}
	}
	if o.dryRun || plan.Empty() {
		return applied(c, plan, plan.Change, "disconnected")
	}
	if err := c.Confirm("disconnect?", o.yes); err != nil {
		return err
	}
	change, err := applyConnect(ctx, c, plan)
	if err != nil {
		return err
	}
	return applied(c, plan, change, "disconnected")
}

// offerAllow asks whether Claude may call the reading tools without asking, and returns the
// plan for the answer.
func offerAllow(c *cli.Env, plan connect.ConnectPlan, diff bool) connect.ConnectPlan {
	if !plan.CanAllow() {
		return plan
	}
	allowing := plan.Allowing()
	if diff {
		c.Say("the next answer decides on these lines")
		changedFiles(c, allowing.Change, "writes", diff)
	}
	if !c.AgreedUnlessNo("let Claude search memory without asking you each time? (it asks before it changes memory, unless you type /remember)") {
		return plan
	}
	return allowing
}

// whereWanted returns where sessions are to be remembered, by a flag or by the person's answer.
// remembered reports whether the settings include this repository.
func whereWanted(c *cli.Env, o connectOptions, asked, remembered bool) connect.SessionsWhere {
	const every = "remember sessions in every repository? (n: only in this one)"
	switch {
	case o.every:
		return connect.SessionsEvery
	case o.here:
		return connect.SessionsHere
	case asked && !c.AgreedUnlessNo(every):
		return connect.SessionsHere
	case asked && !remembered:
		return connect.SessionsEvery
	case asked:
		return connect.SessionsAsBefore
	case !remembered && !o.yes && c.InTTY && c.ErrTTY:
		if c.AgreedUnlessNo("your settings leave out the sessions in this repository: remember them too?") {
			return connect.SessionsHere
		}
	case !remembered:
		c.Hint("%s", connect.LeftOutInWords)
	}
	return connect.SessionsAsBefore
}

// storeWhere stores where sessions are remembered.
func storeWhere(ctx context.Context, c *cli.Env, where connect.SessionsWhere) error {
	set, err := setup.RememberSessions(ctx, c.Memory, where)
	if err == nil && set.File != "" {
		c.Say("sessions are remembered in %s, by %s", set.Words, set.File)
	}
	return err
}

func applyConnect(ctx context.Context, c *cli.Env, plan connect.ConnectPlan) (api.ConnectChange, error) {
	if plan.Empty() {
		return plan.Change, nil
	}
	if len(plan.Change.Commands) > 0 {
		c.Say("Claude changes its plugins, which takes some seconds")
	}
	done, err := connect.ApplyConnect(ctx, c.Memory, plan)
	return done.Change, err
}

// applied reports the changes that were or would be made; done is the verb for them. It returns
// an error if files were left unchanged.
func applied(c *cli.Env, plan connect.ConnectPlan, change api.ConnectChange, done string) error {
	err := c.Result(nil, change, func() {
		for _, note := range change.Notes {
			c.Hint("%s", cli.CleanLine(note))
		}
		if change.Applied {
			c.Say("%s", done)
		}
	})
	if left := plan.Left(); err == nil && len(left) > 0 {
		err = &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("%s was left as it is: %s", left[0].Path, left[0].Why), Hint: "put it right, then try again"}
	}
	return err
}

func connectStatus(ctx context.Context, c *cli.Env) error {
	found, err := connect.ConnectStatus(ctx, c.Memory)
	if err != nil {
		return err
	}
	return c.Result(nil, found.Connections, func() {
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
			c.Printf("%-9s %-14s %s\n", f.Agent, f.State, c.Dim(cli.CleanLine(detail)))
			if f.Off != "" {
				c.Printf("%-24s %s\n", "", cli.CleanLine("switched off by "+f.Off+": "+f.Remedy))
			}
		}
		if found.LeftOut {
			c.Hint("%s", connect.LeftOutInWords)
		}
	})
}
