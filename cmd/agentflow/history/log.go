// Package history has the commands that show what was done: log, show, diff, why.
package history

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"agentflow/app/api"
	applist "agentflow/app/list"
	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/cliflag"
	"agentflow/internal/describe"
	"agentflow/internal/jsonselect"
	"agentflow/internal/plural"
	"agentflow/internal/textwidth"
	"agentflow/memory"

	"github.com/spf13/cobra"
)

// Log returns the command log.
func Log(c *cli.Env) *cobra.Command {
	req := applist.LogRequest{Limit: 20}
	var stat bool
	cmd := c.WithJSON("one JSON list of run objects", &cobra.Command{
		Use:   "log [flags] [-- PATH…]",
		Short: "List runs and sessions, the newest first",
		Long: `Log lists the sessions that are open, and then the runs and sessions that memory
holds, the newest first, a line each; a session has a line for each of its
entries. Notes, and commits that neither made, are counted; --all lists them. If
there is no run or session yet, it lists commits and notes. With paths
it lists what changed them, or files below them, commits too, and follows a file
to the names it had before.`,
		Example: "  agentflow log -n 5\n  agentflow log --since 7d --json\n  agentflow log --stat -- auth/session.go",
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Paths = args
			var list cli.JsonList[api.Run]
			err := applist.LogPages(cmd.Context(), c.Memory, req, func(res applist.LogResult) error {
				if len(args) > 0 && cmd.ArgsLenAtDash() < 0 && len(res.Runs) == 0 && c.Selection.Wanted && areFields(args[0], res.Runs) {
					c.Hint("fields follow --json with an =: --json=%s", args[0])
				}
				if c.Selection.Wanted {
					return list.Add(&c.Voice, res.Runs)
				}
				c.AtOnce(func() { printLog(c, res, req, stat) })
				return nil
			})
			if err != nil || !c.Selection.Wanted {
				return err
			}
			return list.End(&c.Voice)
		},
	})
	cliflag.AtLeast(cmd, &req.Limit, "limit", "n", 0, "at most this many; 0 lists all")
	cmd.Flags().BoolVar(&req.All, "all", false, "notes and commits too")
	cliflag.Choice(cmd, &req.Kind, "kind", cli.KindUsage, memory.Kinds...)
	cmd.Flags().BoolVar(&stat, "stat", false, "show the changes of each as a diff stat")
	cli.PeriodFlags(cmd, &req.Since, &req.Until)
	cli.SharingFlags(cmd, &req.Shared, &req.Author)
	return cmd
}

// areFields reports whether a word could have been meant as --json=FIELD,… of value.
func areFields(word string, value any) bool {
	known := jsonselect.Fields(value)
	return !slices.ContainsFunc(strings.Split(word, ","), func(name string) bool { return !slices.Contains(known, name) })
}

func printLog(c *cli.Env, res applist.LogResult, req applist.LogRequest, stat bool) {
	switch {
	case res.Nothing: // that was said
	case len(res.Runs) == 0 && len(res.Paths) > 0:
		c.Say("memory holds nothing that changed %s", strings.Join(res.Paths, ", "))
	case len(res.Runs) == 0 && req.Kind != "":
		c.Say("memory holds no entry of kind %s", req.Kind)
	case len(res.Runs) == 0 && (req.Author != "" || !req.Since.IsZero() || !req.Until.IsZero()):
		c.Say("memory holds nothing of that time or person; 'agentflow log --all' lists everything")
	case len(res.Runs) == 0:
		c.Say("memory holds nothing yet: the next session or run is remembered, and 'agentflow backfill' takes in the commits of this repository")
	case res.Others && !slices.ContainsFunc(res.Runs, func(r api.Run) bool { return r.Open }):
		c.Say("no sessions or runs yet; memory holds these commits and notes")
	}
	kinds, outcomes := widths(res.Runs)
	for i, r := range res.Runs {
		columns := fmt.Sprintf("%s  %s  %-*s  %-*s", memory.ShortID(shownID(r)), r.StartedAt.Local().Format("2006-01-02 15:04"), kinds, r.Kind, outcomes, describe.Outcome(r))
		more := describe.Size(r) + describe.Moved(r) + cli.SharedBy(r.Author)
		cli.Item(c, columns, memory.Clean(res.Titles[i]), strings.TrimPrefix(more+"  "+c.At(res.Places[i]), "  "))
		if stat {
			printStat(c, describe.Changes(r), "  ")
		}
	}
	sayDays(c, res)
	if res.More {
		c.Say("these are the newest %d; 'agentflow log --limit 0' lists all", len(res.Runs))
	}
	if last := res.Next == "" || req.Limit > 0; last && !res.Others {
		sayHidden(c, res.Hidden)
	}
}

// sayDays says why an entry is in the file of another day than the list shows.
func sayDays(c *cli.Env, res applist.LogResult) {
	for i, r := range res.Runs {
		file, _, _ := strings.Cut(path.Base(res.Places[i]), ".md")
		day, err := time.Parse(time.DateOnly, file)
		if shown := r.StartedAt.Local().Format(time.DateOnly); err == nil && shown != day.Format(time.DateOnly) {
			c.Say("times are in your zone; a file has the day of the zone in which the work was done (%s: %s.md)", memory.ShortID(shownID(r)), file)
			return
		}
	}
}

// widths returns the widths of the columns for the kind and the outcome.
func widths(runs []api.Run) (kinds, outcomes int) {
	for _, r := range runs {
		kinds, outcomes = max(kinds, len(r.Kind)), max(outcomes, textwidth.Cells(describe.Outcome(r)))
	}
	return kinds, outcomes
}

// shownID returns the id that names an entry to people: of a note, that of its fact, which is its
// title, and by which other commands name it.
func shownID(r api.Run) string {
	if r.Kind == memory.KindNote && len(r.Memories) > 0 {
		return r.Memories[0].ID
	}
	return r.ID
}

// sayHidden says what a log leaves out.
func sayHidden(c *cli.Env, hidden map[memory.Kind]int) {
	var parts []string
	for _, kind := range []memory.Kind{memory.KindCommit, memory.KindNote} {
		if n := hidden[kind]; n > 0 {
			parts = append(parts, plural.Count(n, string(kind)))
		}
	}
	if len(parts) > 0 {
		c.Say("not listed: %s; 'agentflow log --all' lists them too", strings.Join(parts, " and "))
	}
}
