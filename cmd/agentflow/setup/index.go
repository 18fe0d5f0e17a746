package setup

import (
	"context"
	"errors"
	"fmt"
	"time"

	"agentflow/app/api"
	"agentflow/app/commit"
	"agentflow/app/settle"
	"agentflow/app/upkeep"
	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/cliflag"
	"agentflow/internal/gctuning"
	"agentflow/internal/plural"
	"agentflow/memory"

	"github.com/spf13/cobra"
)

// Index returns the command index.
func Index(c *cli.Env) *cobra.Command {
	var req upkeep.IndexRequest
	cmd := c.WithJSON("one JSON object", &cobra.Command{
		Use:   "index [flags]",
		Short: "Bring the search index up to date",
		Long: `Index reads what changed in the Markdown, puts it into the search index, and completes
the vectors that wait. Every search does so itself as far as time allows; this command
is for a first index of a large memory, and shows how far it is. Run again after an
interrupt, it continues where it stopped; an interrupted rebuild leaves the old index
as it was. It also reads which names the files hold that git tracks.`,
		Example: "  agentflow index\n  agentflow index --rebuild",
		RunE: func(cmd *cobra.Command, _ []string) error {
			result, err := upkeep.Index(c.Hushed(cmd.Context()), c.Memory, req)
			if result.Report == nil {
				return err
			}
			return errors.Join(err, c.Result(nil, result.Report, func() {
				if !c.Quiet {
					c.Printf("%s\n", indexLine(*result.Report))
				}
			}))
		},
	})
	cmd.Flags().BoolVar(&req.Rebuild, "rebuild", false, "rebuild the index from the Markdown and the tracked files")
	c.QuietFlag(cmd)
	return cmd
}

func indexLine(r api.IndexReport) string {
	what := "is up to date"
	if r.Rebuilt {
		what = "was rebuilt"
	}
	pending := ""
	if r.Pending > 0 {
		pending = fmt.Sprintf(" (%d without a vector)", r.Pending)
	}
	return fmt.Sprintf("the index %s: %s (%d included), %s%s, %s; %d changed, %d removed, %d skipped; %s written, %s read in %s",
		what, plural.Count(r.Files, "file"), r.Included, plural.Count(r.Chunks, "chunk"), pending, plural.Bytes(r.Bytes), r.Changed, r.Removed, len(r.Skipped),
		plural.Count(r.Written, "chunk"), plural.Bytes(r.Read), plural.Duration(time.Duration(r.DurationMS)*time.Millisecond))
}

// Backfill returns the command backfill.
func Backfill(c *cli.Env) *cobra.Command {
	req := commit.BackfillRequest{Last: settle.BackfillLast}
	cmd := c.WithJSON("one JSON object", &cobra.Command{
		Use:   "backfill [flags]",
		Short: "Take the history of the repository into memory",
		Long: `Backfill writes an entry for each commit of the history, in the daily file of
the commit's own date. It skips commits that memory holds, in an entry for each or in
that of a run or session, and commits of forgotten entries: it can be run again at any
time, and continues where it was interrupted.`,
		Example: `  agentflow backfill
  agentflow backfill --since 2026-01-01 --dry-run
  agentflow backfill --last 0 --branch release`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			gctuning.Hurry()
			if !req.Since.IsZero() {
				req.Last = 0
			}
			return backfill(cmd.Context(), c, req)
		},
	})
	f := cmd.Flags()
	cliflag.AtLeast(cmd, &req.Last, "last", "", 0, "only so many of the newest commits; 0: all")
	cliflag.Date(cmd, &req.Since, "since", "the commits from this `date` on (2026-11-21, or 30d for the last month)")
	f.StringVar(&req.Branch, "branch", "", "the history of this `branch`, not of the one checked out")
	f.BoolVar(&req.DryRun, "dry-run", false, "say what would be recorded, and record nothing")
	cliflag.Exclusive(cmd, "last", "since")
	return cmd
}

func backfill(ctx context.Context, c *cli.Env, req commit.BackfillRequest) error {
	r, err := commit.Backfill(ctx, c.Memory, req)
	if c.Selection.Wanted && (err == nil || len(r.Missing) > 0) {
		return errors.Join(c.Json(r.BackfillReport), err)
	}
	for _, e := range r.Entries {
		c.Printf("%s  %s  %s\n", c.Dim(e.Commit[:7]), e.Time.Local().Format("2006-01-02 15:04"), memory.Clean(e.Title))
	}
	if err == nil || r.Commits > 0 {
		c.Say("%s", backfillLine(r.BackfillReport))
	}
	if err == nil && req.Last > 0 && r.Commits == req.Last && r.Recorded > 0 {
		c.Hint("older commits were not looked at: 'agentflow backfill --last 0' takes in all")
	}
	if err != nil || r.Undated > 0 { // in a partial clone, missing objects are no error
		missedCommits(c, r.Missing, r.Unread+r.Uncounted+r.Undated)
	}
	if err != nil && r.Recorded+r.Waiting > 0 && len(r.Missing) == 0 {
		c.Hint("'agentflow backfill' with the same flags continues from there")
	}
	return err
}

// shownMissed bounds the incomplete commits that missedCommits names.
const shownMissed = 10

// missedCommits prints the first commits that are incomplete. all counts them.
func missedCommits(c *cli.Env, list []api.MissedCommit, all int) {
	for _, m := range list[:min(len(list), shownMissed)] {
		what := "without line counts: contents are missing"
		switch {
		case m.Undated:
			what = "not recorded: it has no valid date"
		case m.Unread:
			what = "not recorded: its files are missing"
		}
		c.Say("%s %s · %s", m.Commit[:7], what, memory.Clean(m.Title))
	}
	if more := all - shownMissed; more > 0 {
		c.Say("and %d more; --json names up to a hundred", more)
	}
}

func backfillLine(r api.BackfillReport) string {
	line := "recorded "
	if r.DryRun {
		line = "would record "
	}
	line += fmt.Sprintf("%s of %d", plural.Count(r.Recorded, "commit"), r.Commits)
	for _, part := range []struct {
		n    int
		what string
	}{
		{r.Held, "recorded before"}, {r.OfRuns, "held by the entry of a run or session"}, {r.Forgotten, "forgotten before"}, {r.Merges, "only merged"},
		{r.Waiting, "in the log, for the next command to finish"}, {r.Uncounted, "without line counts"}, {r.Unread, "cannot be read"}, {r.Undated, "without a valid date"},
	} {
		if part.n > 0 {
			line += fmt.Sprintf("; %d %s", part.n, part.what)
		}
	}
	return line
}
