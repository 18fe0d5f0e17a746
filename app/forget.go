package app

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"agentflow/memory"

	"github.com/spf13/cobra"
)

// forgetOptions are the flags of forget.
type forgetOptions struct {
	forgetQuery
	useless                    []string
	yes, purge, dryRun, asJSON bool
}

func (a *operation) forgetCommand() *cobra.Command {
	var o forgetOptions
	cmd := &cobra.Command{
		Use:   "forget [flags] ID…|last",
		Short: "Take entries or facts out of memory",
		Long: `Forget shows what would go, asks, and takes it out of the Markdown and the
index as one change; 'agentflow memory restore ID' brings it back. What was
forgotten does not come back by itself: not from the log, history, an import,
or a fact that was merged. With --purge the text leaves every store of
AgentFlow's for good: use it for secrets.

Instead of ids, --query, --tag and --before choose: what a task would be shown
(with scores), facts with a tag, and what is older than a date; together they
narrow each other. With --type or --namespace only facts are chosen. What is
pinned stays unless its id is given.

With --hit nothing goes: it says that a hit was of no use to the run it was
shown to, so that it ranks lower for tasks like that one. 'agentflow show RUN'
numbers the hits.`,
		Example: `  agentflow forget 3f9a1c
  agentflow forget --purge --yes last
  agentflow forget --before 180d --type episodic --dry-run
  agentflow forget --query "the old deploy script"
  agentflow forget --hit last:2`,
		Args: func(cmd *cobra.Command, args []string) error { return o.check(cmd, args) },
		RunE: func(cmd *cobra.Command, args []string) error { return a.forget(cmd, o, args) },
	}
	flags := cmd.Flags()
	o.register(cmd)
	flags.BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	flags.BoolVar(&o.dryRun, "dry-run", false, "show what would go, and change nothing")
	flags.BoolVar(&o.purge, "purge", false, "remove the text from every store for good")
	flags.StringArrayVar(&o.useless, "hit", nil, "note that the Nth hit shown to a run was useless for it: `RUN:N`")
	flags.BoolVar(&o.asJSON, "json", false, "one JSON object: forgotten, purged, dry_run, pinned, memories; with --hit: judged")
	return cmd
}

// check refuses what does not go together.
func (o *forgetOptions) check(cmd *cobra.Command, args []string) error {
	switch {
	case len(o.useless) > 0 && (len(args) > 0 || o.purge || o.dryRun || o.chooses() || o.narrows()):
		return usagef("--hit stands alone: neither ids nor --purge nor other choices go with it")
	case len(o.useless) > 0:
		return nil
	case o.chooses() && len(args) > 0:
		return usagef("give ids, or choose with --query, --tag and --before: not both")
	case o.chooses():
		return nil
	case o.narrows():
		return &Error{Kind: KindUsage, Err: errors.New("--type and --namespace narrow a choice"), Hint: "add --query, --tag or --before"}
	}
	return atLeastOne("an id, or 'last'")(cmd, args)
}

// forget is the verb.
func (a *operation) forget(cmd *cobra.Command, o forgetOptions, args []string) error {
	ctx := cmd.Context()
	s, err := a.forgettingSite(ctx, &o.forgetQuery)
	if err != nil {
		return err
	}
	if len(o.useless) > 0 {
		return s.judgeAndPrint(ctx, o.useless, o.asJSON)
	}
	report := forgetObject{Purged: o.purge, DryRun: o.dryRun}
	var targets []target
	if o.chooses() {
		targets, report.Pinned, err = s.choose(ctx, o.forgetQuery)
	} else {
		targets, err = s.named(ctx, args, o.purge)
	}
	if err != nil {
		return err
	}
	a.showTargets(targets, report.Pinned, o.dryRun && !o.asJSON)
	for _, t := range targets {
		report.Memories = append(report.Memories, t.object())
	}
	if len(targets) > 0 && !o.dryRun {
		if err := a.confirm("forget this?", o.yes); err != nil {
			return err
		}
		if report.Forgotten, err = s.forgetTargets(ctx, targets, o.purge); err != nil {
			return err
		}
	}
	if o.asJSON {
		report.Forgotten, report.Memories = filled(report.Forgotten), filled(report.Memories)
		return a.json(report)
	}
	return nil
}

// named are the targets that ids name.
func (s *site) named(ctx context.Context, refs []string, purge bool) ([]target, error) {
	var targets []target
	for _, ref := range refs {
		home, f, err := s.findAnywhere(ctx, ref)
		if err != nil && purge {
			f, err = home.findLost(ctx, ref, err)
		}
		if err != nil {
			return nil, err
		}
		targets = append(targets, target{storedItem: f, home: home})
	}
	return targets, nil
}

// findLost looks for what is in the log only, forgotten or vanished: its text
// can still be purged. missing is what there is to say when it is not there.
func (s *site) findLost(ctx context.Context, ref string, missing error) (storedItem, error) {
	lost, err := s.store.Lost(ctx)
	if err != nil {
		return storedItem{}, errors.Join(missing, err)
	}
	var hits []storedItem
	for _, l := range lost {
		if len(ref) >= 4 && strings.HasSuffix(l.ID, strings.ToLower(ref)) {
			hits = append(hits, storedItem{storedBlock: storedBlock{File: "memory/" + l.File}, ID: l.ID, Fact: &memory.Fact{ID: l.ID, Text: l.Title}})
		}
	}
	if len(hits) == 0 {
		return storedItem{}, missing
	}
	return one(ref, hits)
}

// place is where the found text stands: a fact's own lines, or the block's.
func (f storedItem) place() string {
	if f.Fact == nil {
		return linesIn(f.File, f.StartLine, f.EndLine)
	}
	for _, at := range f.Facts {
		if at.ID == f.ID {
			return linesIn(f.File, at.StartLine, at.EndLine)
		}
	}
	return f.File
}

// confirm asks on a terminal; elsewhere it insists on --yes.
func (a *operation) confirm(question string, yes bool) error {
	if yes {
		return nil
	}
	if !a.inTTY || !a.errTTY {
		return &Error{Kind: KindUsage, Err: errors.New("asking for confirmation: not on a terminal"), Hint: "add --yes"}
	}
	if !a.agreed(question) {
		return &Error{Kind: KindRefused, Err: errors.New("nothing was changed")}
	}
	return nil
}

// agreed asks on the terminal that is there.
func (a *operation) agreed(question string) bool {
	fmt.Fprintf(a.err, "%s [y/N] ", question)
	answer, _ := bufio.NewReader(a.in).ReadString('\n')
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes"
}
