package facts

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"agentflow/app/api"
	"agentflow/app/forget"
	"agentflow/app/purge"
	"agentflow/cmd/agentflow/cli"
	"agentflow/cmd/agentflow/history"
	"agentflow/internal/cliflag"
	"agentflow/internal/plural"
	"agentflow/internal/shellword"
	"agentflow/memory"

	"github.com/spf13/cobra"
)

// forgetFlags are the flags of forget.
type forgetFlags struct {
	forget.Request
	hits        []string
	yes, dryRun bool
}

// Forget returns the command forget.
func Forget(c *cli.Env) *cobra.Command {
	f := forgetFlags{Request: forget.Request{Limit: 10}}
	cmd := c.WithJSON("one JSON object: forgotten, purged, dry_run, pinned, memories; with --hit: judged", &cobra.Command{
		Use:   "forget [flags] ID…|FILE…|last|WORDS",
		Short: "Take entries or facts out of memory",
		Long: `Forget shows what would go, asks, and takes it out as one change of each memory,
which 'agentflow memory undo' takes back; 'agentflow memory restore ID' brings one
item back. With --purge the text leaves every store for good: use it for secrets. A
FILE of memory that holds neither entries nor facts, as one in memory/notes, goes
whole. What somebody else shares is hidden in this clone, and nowhere else.

Words choose what memory has to say about them, as --query does, and are always asked
about. Instead of ids, --query, --tag, --before and --namespace choose, and together
narrow each other. With --type or --namespace only facts are chosen. A pinned item
stays unless its id is given.

With --hit nothing goes: the hit was of no use to that run, and ranks lower for
tasks like it. 'agentflow show RUN' numbers the hits.`,
		Example: `  agentflow forget 3f9a1c
  agentflow forget --purge --yes last
  agentflow forget --before 180d --type episodic --dry-run
  agentflow forget --query "the old deploy script"
  agentflow forget --namespace branch/parser
  agentflow forget --purge memory/notes/plan.md
  agentflow forget --hit last:2`,
		Args: f.check,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(f.hits) > 0 {
				return history.JudgeHits(cmd.Context(), c, f.hits)
			}
			ids, err := f.takeWords(args)
			if err != nil {
				return err
			}
			return forgetChosen(c, cmd, f, ids)
		},
	})
	flags := cmd.Flags()
	flags.StringVar(&f.Query, "query", "", "what memory has to say about this `task`")
	flags.StringArrayVar(&f.Tags, "tag", nil, "facts with this `tag`; several narrow")
	cliflag.Date(cmd, &f.Before, "before", "items older than this `date` (2026-11-21, or 180d)")
	cli.TypeFlag(cmd, &f.Type, "only facts of this `type`")
	namespaceFlag(cmd, &f.Namespace, "only facts of this `namespace`: project, branch (the current one), branch/NAME, run/ID, team or global")
	cliflag.AtLeast(cmd, &f.Limit, "limit", "n", 1, "of --query, at most this many hits")
	flags.BoolVarP(&f.yes, "yes", "y", false, "do not ask")
	flags.BoolVar(&f.dryRun, "dry-run", false, "show what would go, and change nothing")
	flags.BoolVar(&f.Purge, "purge", false, "remove the text from every store for good")
	flags.StringArrayVar(&f.hits, "hit", nil, "note that the Nth hit shown to a run was useless for it: `RUN:N`")
	return cmd
}

// check refuses flags and arguments that do not go together.
func (f *forgetFlags) check(cmd *cobra.Command, args []string) error {
	narrows := f.Type != "" || f.Namespace != ""
	chooses := f.chooses()
	switch {
	case len(f.hits) > 0 && (len(args) > 0 || f.Purge || f.dryRun || chooses || narrows):
		return cli.Usagef("--hit takes neither ids nor --purge nor other choices")
	case len(f.hits) > 0 || chooses || narrows:
		return nil
	}
	return cliflag.AtLeastOne("an id, or 'last'")(cmd, args)
}

// takeWords turns arguments that are no ids into the query, and returns the ids. Items that
// words select are never removed without being shown.
func (f *forgetFlags) takeWords(args []string) (ids []string, err error) {
	if f.chooses() || !slices.ContainsFunc(args, func(arg string) bool { return !forget.IsRef(arg) }) {
		return args, nil
	}
	words := strings.Join(args, " ")
	if f.yes || f.Purge {
		way := []string{"agentflow", "forget", "--query", words}
		if f.Purge {
			way = append(way, "--purge")
		}
		return nil, cli.HintedUsage(shellword.Join(way), "%s is no id, and what words choose is asked about", cli.CleanLine(words))
	}
	f.Query = words
	return nil, nil
}

func (f *forgetFlags) chooses() bool { return f.Query != "" || len(f.Tags) > 0 || !f.Before.IsZero() }

// forgetChosen plans, shows the plan, asks, and applies it. With --yes it does not ask, so it
// makes the plan again if memory changes meanwhile.
func forgetChosen(c *cli.Env, cmd *cobra.Command, f forgetFlags, ids []string) (err error) {
	ctx := cmd.Context()
	f.IDs = ids
	const tries = 5
	for try := 1; ; try++ {
		plan, err := forget.PlanForget(ctx, c.Memory, f.Request)
		if err != nil {
			return err
		}
		if try == 1 {
			printForgetPlan(c, plan, f.dryRun && !c.Selection.Wanted)
		}
		if len(plan.Targets) == 0 || f.dryRun {
			o := plan.JSON()
			o.DryRun = f.dryRun
			return c.Result(nil, o, func() {})
		}
		if err := c.Confirm("forget this?", f.yes); err != nil {
			return err
		}
		done, err := forget.ApplyForget(ctx, c.Memory, plan)
		if errors.Is(err, purge.ErrPlanChanged) && f.yes && try < tries {
			continue
		}
		if err != nil {
			return err
		}
		noun := "fact"
		for _, t := range plan.Targets {
			if t.Kind != "fact" {
				noun = "memory"
			}
		}
		others, machines := plan.Others()
		if own := len(plan.Targets) - others - machines; own > 0 {
			c.Say("forgot %s", plural.Count(own, noun))
		}
		if others > 0 {
			c.Say("hid %s that others share: it is not seen here any more", plural.Count(others, noun))
		}
		if machines > 0 {
			c.Say("forgot %s of another machine of yours, which forgets it with its next sync", plural.Count(machines, noun))
		}
		switch {
		case f.Purge && others+machines == 0:
		case len(plan.Targets) > maxNamed && others+machines == 0 && plan.OneMemory():
			c.Hint("'agentflow memory undo' brings all of it back, 'agentflow memory restore ID' one of it")
		default:
			c.Hint("'agentflow memory restore %s' brings it back", targetIDs(plan.Targets))
		}
		printUnreached(c, done.Forgotten.Left)
		return c.Result(nil, done.Forgotten, func() {})
	}
}

// printUnreached prints where a purged text is or may be, and how to remove it there.
func printUnreached(c *cli.Env, left []api.Unreached) {
	if len(left) == 0 {
		return
	}
	c.Say("the text may still be in:")
	for _, u := range left {
		c.Say("- %s: %s. To remove it: %s", cli.CleanLine(u.Place), cli.CleanLine(u.Why), cli.CleanLine(u.Remedy))
	}
}

// printPurgePlan prints the additional effects of a purge, before it is made.
func printPurgePlan(c *cli.Env, plan forget.Plan, all bool) {
	c.Say("its text leaves memory, the log and the index for good, and %s", plural.Count(len(plan.Quoting), "other file"))
	for i, path := range plan.Quoting {
		if i == shownTargets && !all {
			c.Say("… and %d more", len(plan.Quoting)-i)
			break
		}
		c.Say("- %s", cli.CleanLine(path))
	}
}

// shownTargets limits the targets listed before the question.
const shownTargets = 50

// printForgetPlan prints the plan: all of its targets, or only the first ones.
func printForgetPlan(c *cli.Env, plan forget.Plan, all bool) {
	for i, t := range plan.Targets {
		if i == shownTargets && !all {
			c.Say("… and %d more", len(plan.Targets)-i)
			break
		}
		score := ""
		if t.Score > 0 {
			score = fmt.Sprintf("  score %.3f", t.Score)
		}
		c.Line("", fmt.Sprintf("%s  %s  (%s)%s", memory.ShortID(t.ID), strings.ReplaceAll(t.Text, "\n", " "), c.At(t.Where()), score+cli.SharedBy(t.Author)))
	}
	switch n := len(plan.Targets); {
	case n == 0:
		c.Say("there is nothing to forget")
	case n > 1:
		c.Say("%s in all", plural.Count(n, "memory"))
	}
	if plan.Purge && len(plan.Targets) > 0 {
		printPurgePlan(c, plan, all)
	}
	if plan.Pinned > 0 {
		c.Say("%d more are pinned and stay; 'agentflow forget ID' takes one out all the same", plan.Pinned)
	}
}

// maxNamed is the maximum number of targets that a hint names.
const maxNamed = 3

// targetIDs returns the short ids of a few targets, or a placeholder for many.
func targetIDs(targets []purge.ForgetTarget) string {
	if len(targets) > maxNamed {
		return "ID…"
	}
	var short []string
	for _, t := range targets {
		short = append(short, memory.ShortID(t.ID))
	}
	return strings.Join(short, " ")
}
