package work

import (
	"errors"
	"fmt"

	"agentflow/app/api"
	"agentflow/app/undo"
	"agentflow/cmd/agentflow/cli"
	"agentflow/cmd/agentflow/history"
	"agentflow/internal/cliflag"
	"agentflow/internal/describe"
	"agentflow/internal/plural"
	"agentflow/memory"
	"agentflow/memory/changeset"

	"github.com/spf13/cobra"
)

// undoOptions are the flags of undo.
type undoOptions struct {
	undo.Request
	yes bool
}

// Undo returns the command undo.
func Undo(c *cli.Env) *cobra.Command {
	var o undoOptions
	cmd := c.WithJSON("one JSON object: id, restore, remove, unstage, revert, possible, refused, stays, done, commit, aside", &cobra.Command{
		Use:   "undo [flags] RUN|last",
		Short: "Take back what one run changed",
		Long: `Undo shows how it would take a run back, asks, and does it: what the run left
uncommitted goes back byte for byte, and one new commit takes its commits back, as
'git revert' would; no hook runs. Where later work overlaps, or somebody else
changed a file too while the run was on, it refuses and changes nothing. A change
that is only possibly the run's stays, unless --possible is given; a terminal asks
for each path. A file that it removes or overwrites and that is nowhere else is kept in
the run's folder. The run's entry is marked as undone, and ranks lower.`,
		Example: "  agentflow undo last --dry-run\n  agentflow undo 3f9a1c --yes",
		Args:    cliflag.Exactly(1, "one run's id, or 'last'"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, a2 string) ([]string, cobra.ShellCompDirective) {
			return history.CompleteRuns(c, cmd, args, a2)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Run = args[0]
			return undoRun(c, cmd, o)
		},
	})
	cmd.Flags().BoolVarP(&o.DryRun, "dry-run", "n", false, "only show what it would do")
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&o.Possible, "possible", false, "also take back changes that are only possibly the run's")
	return cmd
}

// undoRun shows the plan, asks, and applies it.
func undoRun(c *cli.Env, cmd *cobra.Command, o undoOptions) (err error) {
	ctx := cmd.Context()
	plan, err := undo.PlanUndo(ctx, c.Memory, o.Request)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, plan.Close()) }()
	if !c.Selection.Wanted {
		printUndoPlan(c, plan)
	}
	if also := askForPossible(c, plan, o); len(also) > 0 {
		if err := plan.Include(ctx, also); err != nil {
			return err
		}
		printUndoPlan(c, plan)
	}
	refused := plan.Refusal()
	if c.Selection.Wanted && (refused != nil || o.DryRun) {
		err := c.Json(plan.Undo)
		if refused != nil {
			code, _, _ := cli.Classify(refused)
			err = errors.Join(err, cli.Ended{Code: code, Err: refused, Reported: true})
		}
		return err
	}
	if refused != nil || o.DryRun {
		return refused
	}
	if !plan.NothingLeft {
		if err := c.Confirm("take this back?", o.yes); err != nil {
			return err
		}
	}
	done, err := plan.Apply(ctx)
	if err != nil {
		return err
	}
	if c.Selection.Wanted {
		err = c.Json(done.Undo)
	} else {
		printUndone(c, plan.Kind, done, plan.NothingLeft)
	}
	if n := len(done.Stays); n > 0 {
		stays := fmt.Errorf("undoing %s %s: %s not taken back", plan.Kind, memory.ShortID(plan.ID), plural.Count(n, "file"))
		return errors.Join(err, cli.Ended{Code: cli.ExitError, Err: stays, Reported: c.Selection.Wanted})
	}
	return err
}

// maxAsked limits the paths asked for on a terminal.
const maxAsked = 20

// askForPossible asks on a terminal about each path that is only possibly the
// run's, and returns the paths that the person agrees to undo.
func askForPossible(c *cli.Env, plan *undo.Plan, o undoOptions) (also []string) {
	quiet := o.yes || o.DryRun || c.Selection.Wanted || !c.InTTY || !c.ErrTTY
	if quiet || len(plan.Possible) > maxAsked || len(plan.Refused) > 0 && !plan.Helps {
		return nil
	}
	for _, path := range plan.Possible {
		if c.Agreed(fmt.Sprintf("%s: %s; take it back too?", memory.QuotePath(path), plan.Why[path])) {
			also = append(also, path)
		}
	}
	return also
}

// printUndoPlan prints what the plan would do, or why it cannot be applied.
func printUndoPlan(c *cli.Env, p *undo.Plan) {
	c.Printf("%s  %s\n", c.Dim(memory.ShortID(p.ID)), c.Bold(cli.CleanLine(p.Title)))
	step := func(colour, what, name string) { c.Printf("  %s  %s\n", c.Style(colour, what), name) }
	commit := func(of changeset.Commit) string { return describe.ShortCommit(of.ID) + " " + cli.CleanLine(of.Subject) }
	for _, list := range []struct {
		colour, what string
		paths        []string
	}{{"32", "restore", p.Restore}, {"31", "remove ", p.Remove}, {"33", "unstage", p.Unstage}} {
		for _, path := range list.paths {
			step(list.colour, list.what, memory.QuotePath(path))
		}
	}
	for _, of := range p.Revert {
		step("33", "revert ", commit(of))
	}
	leave := func(what, why string) { step("2", "leave  ", what+": "+why) }
	for _, path := range p.Possible {
		leave(memory.QuotePath(path), p.Why[path])
	}
	for _, of := range p.PossibleCommits {
		leave(commit(of), p.Why[of.ID])
	}
	for _, path := range p.Swept {
		leave(memory.QuotePath(path), "the "+string(p.Kind)+" only committed it")
	}
	for _, l := range p.Stays {
		leave(memory.QuotePath(l.Path), l.Why)
	}
	for _, path := range p.Elsewhere {
		leave(memory.QuotePath(path), "it is outside of the "+string(p.Kind)+"'s working tree")
	}
	for _, l := range p.Refused {
		step("1;31", "refused", cli.CleanLine(reasonOf(l)))
	}
	switch {
	case !p.Done:
	case len(p.Possible) > 0:
		c.Printf("  nothing else of it is left to take back\n")
	case p.Nothing:
		c.Printf("  it changed no file that could be taken back\n")
	default:
		c.Printf("  nothing of it is left to take back\n")
	}
}

func reasonOf(l api.LeftOut) string {
	if l.Path == "" {
		return l.Why
	}
	return memory.QuotePath(l.Path) + ": " + l.Why
}

// printUndone prints what was done, and what stays.
func printUndone(c *cli.Env, kind memory.Kind, done undo.Result, nothingLeft bool) {
	id := memory.ShortID(done.ID)
	if done.Aside != "" {
		c.Say("files that were nowhere else are kept in %s", cli.CleanLine(done.Aside))
	}
	switch {
	case done.Commit != "":
		c.Say("took %s %s back with commit %s", kind, id, describe.ShortCommit(done.Commit))
	case !nothingLeft:
		c.Say("took %s %s back", kind, id)
	}
	if n := len(done.Possible); n > 0 {
		c.Say("left changes that may be somebody else's: %s", plural.Count(n, "path"))
	}
	if done.Again != "" {
		c.Hint("%s", done.Again)
	}
}
