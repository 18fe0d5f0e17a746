package app

import (
	"context"
	"fmt"
	"strings"
	"time"

	"agentflow/api"
	"agentflow/internal/plural"

	"agentflow/memory"

	"github.com/spf13/cobra"
)

type logOptions struct {
	limit             int
	asJSON, all, stat bool
	since, until      string
}

func (a *operation) logCommand() *cobra.Command {
	var o logOptions
	cmd := &cobra.Command{
		Use:   "log [flags] [-- PATH…]",
		Short: "List runs, the newest first",
		Long: `Log lists the runs that memory holds, the newest first, a line each. With
paths it lists the runs and commits that changed them, or files below them, and
follows a file to the names it had before.`,
		Example: "  agentflow log -n 5\n  agentflow log --since 7d --json\n  agentflow log --stat -- auth/session.go",
		RunE:    func(cmd *cobra.Command, args []string) error { return a.log(cmd.Context(), o, args) },
	}
	cmd.Flags().IntVarP(&o.limit, "limit", "n", 20, "at most this many; 0 lists all")
	cmd.Flags().BoolVar(&o.all, "all", false, "notes and commits too")
	cmd.Flags().BoolVar(&o.stat, "stat", false, "below each, what it changed, as a diff stat")
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "one JSON list of run objects")
	cmd.Flags().StringVar(&o.since, "since", "", "only from this `date` on (2026-11-21, or 7d for the last week)")
	cmd.Flags().StringVar(&o.until, "until", "", "only before this `date`")
	return cmd
}

// log is the verb.
func (a *operation) log(ctx context.Context, o logOptions, args []string) error {
	s, err := a.reading(ctx)
	if err != nil {
		return err
	}
	now := time.Now()
	from, err := parseWhen("since", o.since, now)
	if err != nil {
		return err
	}
	to, err := parseWhen("until", o.until, now)
	if err != nil {
		return err
	}
	paths, err := s.below(args)
	if err != nil {
		return err
	}
	trail := pathTrail{paths}
	list := s.list(o.limit, func(e *memory.Entry) bool {
		if len(paths) > 0 {
			if !trail.passes(e) {
				return false
			}
		} else if !o.all && e.Kind != memory.KindRun {
			return false
		}
		return !e.Time.Before(from) && (to.IsZero() || e.Time.Before(to))
	})
	became := s.linked(ctx, entriesOf(list)...)
	if o.asJSON {
		return a.json(logObjects(list, became))
	}
	if len(list) == 0 && len(paths) > 0 {
		a.say("memory holds no run or commit that changed %s", strings.Join(paths, ", "))
		return nil
	}
	a.printLog(list, became, o.stat)
	return nil
}

// list returns the newest entries that want accepts.
func (s *site) list(limit int, want func(*memory.Entry) bool) []storedBlock {
	var out []storedBlock
	for b, err := range s.blocks() {
		if err != nil {
			s.warn("%v", err)
			continue
		}
		if b.Entry == nil || !want(b.Entry) {
			continue
		}
		if out = append(out, b); len(out) == limit {
			break
		}
	}
	return out
}

func entriesOf(list []storedBlock) (entries []*memory.Entry) {
	for _, b := range list {
		entries = append(entries, b.Entry)
	}
	return entries
}

func logObjects(list []storedBlock, became commitStates) []runObject {
	out := []runObject{}
	for _, b := range list {
		o := api.NewRun(*b.Entry, b.Path)
		withLinks(&o, became)
		out = append(out, o)
	}
	return out
}

func (a *operation) printLog(list []storedBlock, became commitStates, stat bool) {
	if len(list) == 0 {
		a.say("no runs yet")
	}
	for _, b := range list {
		e := b.Entry
		a.printf("%s  %s  %-11s  %s%s%s\n", a.dim(memory.ShortID(e.ID)), e.Time.Local().Format("2006-01-02 15:04"),
			outcomeOf(e), a.bold(memory.Clean(titleOf(e))), a.dim(sizeOf(e)), a.dim(became.movedPart(e)))
		if stat {
			a.printStat(changesOf(e), columns(), "  ")
		}
	}
}

// outcomeOf tells in a word or two how an entry ended.
func outcomeOf(e *memory.Entry) string {
	switch {
	case e.Result == nil:
		return string(e.Kind)
	case e.IsUndone():
		return "undone"
	}
	return strings.ReplaceAll(string(e.Result.Outcome), "_", " ")
}

// titleOf is the entry's title, or a note's fact.
func titleOf(e *memory.Entry) string {
	if e.Kind == memory.KindNote && len(e.Facts) > 0 {
		return memory.Title(e.Facts[0].Text)
	}
	return e.Title
}

// sizeOf sums up what an entry changed.
func sizeOf(e *memory.Entry) string {
	var parts []string
	add := func(n int, noun string) {
		if n > 0 {
			parts = append(parts, plural.Count(n, noun))
		}
	}
	add(len(e.Commits), "commit")
	add(len(e.PossibleCommits), "possible commit")
	changes := changesOf(e)
	possible := countPossible(changes)
	add(len(changes)-possible, "change")
	add(possible, "possible change")
	if e.Kind != memory.KindNote {
		add(len(e.Facts), "memory")
	}
	if len(unread(*e)) > 0 {
		parts = append(parts, "changes not fully read")
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("  (%s)", strings.Join(parts, ", "))
}

// countPossible counts the changes that are only possibly the run's.
func countPossible(changes []memory.Change) (n int) {
	for _, c := range changes {
		if c.Certainty == memory.Possible {
			n++
		}
	}
	return n
}
