package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"agentflow/index"
	"agentflow/memory"
	"agentflow/writeback"

	"github.com/spf13/cobra"
)

func (a *app) forgetCommand() *cobra.Command {
	var yes, purge, asJSON bool
	var useless []string
	cmd := &cobra.Command{
		Use:   "forget [flags] ID…|last",
		Short: "Take an entry or a fact out of memory",
		Long: `Forget shows what would go, asks, and takes it out of the Markdown and the
index; 'agentflow memory restore ID' brings it back. With --purge the text
leaves every store of AgentFlow's for good: use it for secrets.

With --hit nothing goes: it says that a hit was of no use to the run it was
shown to, so that it ranks lower for tasks like that one. 'agentflow show RUN'
numbers the hits.`,
		Example: "  agentflow forget 3f9a1c\n  agentflow forget --purge --yes last\n  agentflow forget --hit last:2",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(useless) == 0 {
				return atLeastOne("an id, or 'last'")(cmd, args)
			}
			if len(args) > 0 || purge {
				return usagef("--hit stands alone: neither ids nor --purge go with it")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := a.site(cmd.Context())
			if err != nil {
				return err
			}
			if len(useless) > 0 {
				judged, err := s.judge(cmd, useless)
				if asJSON && err == nil {
					return a.json(map[string]any{"judged": judged})
				}
				return err
			}
			var targets []found
			for _, ref := range args {
				f, err := s.find(ref, "")
				if err != nil && purge {
					f, err = s.findLost(cmd.Context(), ref, err)
				}
				if err != nil {
					return err
				}
				targets = append(targets, f)
			}
			for _, f := range targets {
				a.printTarget(f)
			}
			if err := a.confirm("forget this?", yes); err != nil {
				return err
			}
			ids, err := s.forget(cmd, targets, purge)
			if asJSON && err == nil {
				return a.json(map[string]any{"forgotten": ids, "purged": purge})
			}
			return err
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&purge, "purge", false, "remove the text from every store for good")
	cmd.Flags().StringArrayVar(&useless, "hit", nil, "note that the Nth hit shown to a run was useless for it: `RUN:N`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object: forgotten, purged; with --hit: judged")
	return cmd
}

// findLost looks for what is in the log only, forgotten or vanished: its text
// can still be purged. missing is what there is to say when it is not there.
func (s *site) findLost(ctx context.Context, ref string, missing error) (found, error) {
	lost, err := s.store.Lost(ctx)
	if err != nil {
		return found{}, errors.Join(missing, err)
	}
	var hits []found
	for _, l := range lost {
		if len(ref) >= 4 && strings.HasSuffix(l.ID, strings.ToLower(ref)) {
			hits = append(hits, found{stored: stored{File: "memory/" + l.File}, ID: l.ID, Fact: &memory.Fact{ID: l.ID, Text: l.Title}})
		}
	}
	if len(hits) == 0 {
		return found{}, missing
	}
	return one(ref, hits)
}

// printTarget shows what would go.
func (a *app) printTarget(f found) {
	what := ""
	if f.Fact != nil {
		what = f.Fact.Text
	} else {
		what = titleOf(f.Entry)
	}
	a.say("%s  %s  (%s)", memory.ShortID(f.ID), strings.ReplaceAll(what, "\n", " "), f.place())
}

// place is where the found text stands: a fact's own lines, or the block's.
func (f found) place() string {
	if f.Fact == nil {
		return fmt.Sprintf("%s:%d-%d", f.File, f.StartLine, f.EndLine)
	}
	for _, at := range f.Facts {
		if at.ID == f.ID {
			return fmt.Sprintf("%s:%d-%d", f.File, at.StartLine, at.EndLine)
		}
	}
	return f.File
}

// forget takes the targets out and brings the index up to date.
func (s *site) forget(cmd *cobra.Command, targets []found, purge bool) ([]string, error) {
	var ids, left []string
	for _, f := range targets {
		var err error
		if purge {
			var report writeback.PurgeReport
			report, err = s.store.Purge(cmd.Context(), f.ID)
			left = append(left, report.Beyond...)
			left = append(left, report.Elsewhere...)
		} else {
			_, err = s.store.Forget(cmd.Context(), f.ID)
		}
		if err != nil {
			return ids, fmt.Errorf("forgetting %s: %w", memory.ShortID(f.ID), err)
		}
		ids = append(ids, f.ID)
	}
	if purge {
		if err := s.purgeLinks(); err != nil {
			return ids, err
		}
	}
	db, degraded := s.indexed(cmd.Context())
	if db != nil {
		defer db.Close()
		if purge {
			if err := s.purgeIndex(cmd.Context(), db, ids); err != nil {
				return ids, fmt.Errorf("purging the index: %w", err)
			}
		}
	}
	s.degraded("forget", degraded)
	for _, place := range left {
		s.warn("the text may still stand in: %s", place)
	}
	s.say("forgot %s", count(len(ids), "memory"))
	if !purge {
		s.hint("'agentflow memory restore %s' brings it back", memory.ShortID(ids[0]))
	}
	return ids, nil
}

func (s *site) purgeIndex(ctx context.Context, db *index.DB, ids []string) error {
	for _, id := range ids {
		if err := db.Purge(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// confirm asks on a terminal; elsewhere it insists on --yes.
func (a *app) confirm(question string, yes bool) error {
	if yes {
		return nil
	}
	if !a.inTTY || !a.errTTY {
		return usageError{err: errors.New("asking for confirmation: not on a terminal"), hint: "add --yes"}
	}
	if !a.agreed(question) {
		return codedError{code: exitError, err: errors.New("nothing was changed")}
	}
	return nil
}

// agreed asks on the terminal that is there.
func (a *app) agreed(question string) bool {
	fmt.Fprintf(a.err, "%s [y/N] ", question)
	answer, _ := bufio.NewReader(a.in).ReadString('\n')
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes"
}
