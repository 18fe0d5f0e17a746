package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"agentflow/internal/plural"

	"agentflow/gitwatch/history"
	"agentflow/memory"

	"github.com/spf13/cobra"
)

// backfillLast is how many commits are looked at unless told otherwise.
const backfillLast = 500

// backfillFlags are the flags of backfill.
type backfillFlags struct {
	last           int
	since, branch  string
	dryRun, asJSON bool
}

// backfillReport is what `backfill --json` prints.
type backfillReport struct {
	Commits    int           `json:"commits"`   // looked at
	Recorded   int           `json:"recorded"`  // entries written now; with --dry-run: that would be
	Waiting    int           `json:"waiting"`   // of them in the log only; the next command finishes them
	Held       int           `json:"held"`      // had an entry, or one had that they are a copy of
	OfRuns     int           `json:"of_runs"`   // stand in the entry of a run
	Forgotten  int           `json:"forgotten"` // were forgotten, or taken out by hand
	DryRun     bool          `json:"dry_run"`
	Entries    []memoryEntry `json:"entries,omitempty"` // with --dry-run
	DurationMS int64         `json:"duration_ms"`
}

// memoryEntry is an entry that would be written.
type memoryEntry struct {
	ID     string    `json:"id"`
	Commit string    `json:"commit"`
	Time   time.Time `json:"time"`
	Title  string    `json:"title"`
}

func (a *operation) backfillCommand() *cobra.Command {
	var o backfillFlags
	cmd := &cobra.Command{
		Use:   "backfill [flags]",
		Short: "Take the history of the repository into memory",
		Long: `Backfill writes an entry for each commit of the history, in the daily file of
the commit's own date: its message and what it changed. Commits that memory
holds, alone or in the entry of a run, are passed over, and so are those whose
entry was forgotten; so it can be run again at any time, and goes on where it
was interrupted. Of a merge only what it resolved itself is listed.`,
		Example: `  agentflow backfill
  agentflow backfill --since 2026-01-01 --dry-run
  agentflow backfill --last 0 --branch release`,
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.last < 0 {
				return usagef("--last is at least 0, which means all")
			}
			if o.since != "" && cmd.Flags().Changed("last") {
				return usagef("--last and --since exclude each other")
			}
			return a.backfill(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.IntVar(&o.last, "last", backfillLast, "only so many of the newest commits; 0: all")
	f.StringVar(&o.since, "since", "", "the commits from this `date` on (2026-11-21, or 30d for the last month)")
	f.StringVar(&o.branch, "branch", "", "the history of this `branch`, not of what is checked out")
	f.BoolVar(&o.dryRun, "dry-run", false, "say what would be recorded, and record nothing")
	f.BoolVar(&o.asJSON, "json", false, "one JSON object")
	return cmd
}

// backfill is the verb.
func (a *operation) backfill(ctx context.Context, o backfillFlags) error {
	start := time.Now()
	since, err := parseWhen("since", o.since, start)
	if err != nil {
		return err
	}
	s, err := a.toFill(ctx, o.dryRun)
	if err != nil {
		return err
	}
	span := history.Range{Rev: o.branch, Last: o.last, Since: since}
	if o.since != "" {
		span.Last = 0
	}
	report, err := s.fill(ctx, span, o.dryRun)
	report.DurationMS = time.Since(start).Milliseconds()
	if o.asJSON && err == nil {
		return a.json(report)
	}
	a.tellBackfill(report, err)
	return err
}

// toFill opens the memory, and makes it when it is to be written.
func (a *operation) toFill(ctx context.Context, dryRun bool) (*site, error) {
	place, dirs, err := a.here()
	if err != nil {
		return nil, err
	}
	if place.CommonDir == "" {
		return nil, &Error{Kind: KindNoPlace, Err: errors.New("reading the history: no git repository here")}
	}
	if !dryRun {
		return a.writable(ctx)
	}
	settings, err := a.load(place, dirs)
	if err != nil {
		return nil, err
	}
	return a.open(ctx, place, dirs, settings)
}

// tellBackfill says what was recorded, for people.
func (a *operation) tellBackfill(r backfillReport, err error) {
	for _, e := range r.Entries {
		a.printf("%s  %s  %s\n", a.dim(e.Commit[:7]), e.Time.Local().Format("2006-01-02 15:04"), memory.Clean(e.Title))
	}
	said := "recorded " + plural.Count(r.Recorded, "commit")
	if r.DryRun {
		said = "would record " + plural.Count(r.Recorded, "commit")
	}
	said += fmt.Sprintf(" of %d", r.Commits)
	for _, part := range []struct {
		n    int
		what string
	}{
		{r.Held, "recorded before"}, {r.OfRuns, "held by the entry of a run"}, {r.Forgotten, "forgotten before"},
		{r.Waiting, "in the log, for the next command to finish"},
	} {
		if part.n > 0 {
			said += fmt.Sprintf("; %d %s", part.n, part.what)
		}
	}
	a.say("%s", said)
	if err != nil && r.Recorded+r.Waiting > 0 {
		a.hint("'agentflow backfill' with the same flags goes on from there")
	}
}
