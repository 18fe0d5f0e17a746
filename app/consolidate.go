package app

import (
	"context"
	"time"

	"agentflow/consolidate"
	"agentflow/memory"
	"agentflow/writeback"

	"github.com/spf13/cobra"
)

func (a *operation) consolidateCommand() *cobra.Command {
	var dryRun, asJSON, llm bool
	var since, namespace string
	cmd := &cobra.Command{
		Use:   "consolidate [flags]",
		Short: "Keep memory in order",
		Long: `Consolidate merges facts that say the same, strikes the older of two values of
one key, moves what is important or often said to MEMORY.md and what faded out
of it, folds old daily files into months, and retires what [retention] names.
What may only be a duplicate or a contradiction is listed, and left alone.

The change is shown as a diff, and made whole or not at all. It asks nothing, so
it can be run by cron. See [consolidate] and [retention] in the configuration.

--llm asks an agent CLI (agent, model, max_cost and timeout in [extract] of your
own config) about what may only be a duplicate or a contradiction. What it
proposes is held against the facts: a merge that loses or adds a number, a name,
a path or a negation is refused, and so is one of what you wrote or pinned.
Without an answer the plan goes on without one.`,
		Example: "  agentflow consolidate --dry-run\n  agentflow consolidate --since 7d\n  agentflow consolidate --llm\n  0 4 * * *  cd ~/project && agentflow consolidate",
		Args:    exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := a.tended(cmd.Context(), namespace)
			if err != nil {
				return err
			}
			in, err := s.consolidateInput(time.Now(), since)
			if err != nil {
				return err
			}
			var asked proposed
			if llm {
				in, asked = s.propose(cmd.Context(), in)
			}
			done, err := s.consolidate(cmd.Context(), in, dryRun)
			if err != nil {
				return err
			}
			if asJSON {
				return a.json(done.object(dryRun, asked))
			}
			a.printConsolidated(done, dryRun)
			return nil
		},
	}
	cmd.Flags().StringVar(&namespace, "namespace", "", "global: your own memory instead of the repository's")
	complete(cmd, "namespace", memory.GlobalNamespace)
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "show the change and do not make it")
	cmd.Flags().StringVar(&since, "since", "", "leave facts alone that were all said before this `date` (2026-11-21, or 7d for the last week)")
	cmd.Flags().BoolVar(&llm, "llm", false, "ask an agent CLI about likely duplicates and contradictions")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object: dry_run, changed, actions, forgotten, possible, more_possible, refused, cost_usd, diff")
	return cmd
}

// tended is the memory that a namespace is part of.
func (a *operation) tended(ctx context.Context, namespace string) (*site, error) {
	switch namespace {
	case memory.ProjectNamespace:
		return a.site(ctx)
	case memory.GlobalNamespace:
		return a.globalMemory(ctx)
	}
	return nil, usagef("--namespace %s: consolidation is of a whole memory: the repository's, or global", namespace)
}

// consolidateInput is how memory is kept here, without the files.
func (s *site) consolidateInput(now time.Time, since string) (consolidate.Input, error) {
	c, r := s.settings.Consolidate, s.settings.Retention
	in := consolidate.Input{Now: now, Options: consolidate.Options{
		FoldAfter: c.FoldAfter, PromoteRuns: c.PromoteRuns, PromoteImportance: c.PromoteImportance,
		MaxFacts: r.MaxFacts, MaxAge: r.MaxAge, MinImportance: r.MinImportance,
	}}
	var err error
	in.Since, err = parseWhen("since", since, now)
	return in, err
}

// consolidated is a plan, and what it was made from.
type consolidated struct {
	consolidate.Result
	in consolidate.Input
}

// consolidate puts memory in order: it plans over a snapshot, and makes the
// change unless dryRun. A hand edit made meanwhile wins.
func (s *site) consolidate(ctx context.Context, in consolidate.Input, dryRun bool) (done consolidated, err error) {
	err = s.store.Revise(ctx, func(files map[string][]byte) (c writeback.Change, err error) {
		if in.Forgotten, err = s.store.Barred(ctx); err != nil {
			return c, err
		}
		in.Files = files
		done = consolidated{consolidate.Plan(in), in}
		if dryRun {
			return c, nil
		}
		title := "consolidation of " + in.Now.Format("2006-01-02 15:04")
		return writeback.Change{Verb: "consolidate", Title: title, Edits: done.Edits, Forget: done.Forget}, ctx.Err()
	})
	if err == nil && !dryRun && len(done.Edits) > 0 {
		s.reindex(ctx, "consolidate")
	}
	return done, err
}
