package main

import (
	"fmt"
	"slices"
	"strings"

	"agentflow/api"
	"agentflow/app"
	"agentflow/internal/cliflag"
	"agentflow/internal/jsonselect"
	"agentflow/internal/plural"
	"agentflow/memory"

	"github.com/spf13/cobra"
)

func (c *cli) logCommand() *cobra.Command {
	req := app.LogRequest{Limit: 20}
	var stat bool
	cmd := c.withJSON("one JSON list of run objects", &cobra.Command{
		Use:   "log [flags] [-- PATH…]",
		Short: "List runs, the newest first",
		Long: `Log lists the runs that memory holds, the newest first, a line each. With
paths it lists the runs and commits that changed them, or files below them, and
follows a file to the names it had before.`,
		Example: "  agentflow log -n 5\n  agentflow log --since 7d --json\n  agentflow log --stat -- auth/session.go",
		RunE: func(cmd *cobra.Command, args []string) error {
			req.Paths = args
			res, err := c.memory.Log(cmd.Context(), req)
			if len(args) > 0 && cmd.ArgsLenAtDash() < 0 && len(res.Runs) == 0 && c.selection.Wanted && areFields(args[0], res.Runs) {
				c.hint("fields follow --json with an =: --json=%s", args[0])
			}
			return c.result(err, res.Runs, func() { c.printLog(res, stat) })
		},
	})
	cliflag.AtLeast(cmd, &req.Limit, "limit", "n", 0, "at most this many; 0 lists all")
	cmd.Flags().BoolVar(&req.All, "all", false, "notes and commits too")
	cmd.Flags().BoolVar(&stat, "stat", false, "show the changes of each as a diff stat")
	periodFlags(cmd, &req.Since, &req.Until)
	return cmd
}

// areFields says that a word could have been meant as --json=FIELD,… of value.
func areFields(word string, value any) bool {
	known := jsonselect.Fields(value)
	return !slices.ContainsFunc(strings.Split(word, ","), func(name string) bool { return !slices.Contains(known, name) })
}

func (c *cli) printLog(res app.LogResult, stat bool) {
	switch {
	case len(res.Runs) == 0 && len(res.Paths) > 0:
		c.say("memory holds no run or commit that changed %s", strings.Join(res.Paths, ", "))
	case len(res.Runs) == 0:
		c.say("no runs yet")
	}
	for i, r := range res.Runs {
		c.printf("%s  %s  %-11s  %s%s%s  %s\n", c.dim(memory.ShortID(r.ID)), r.StartedAt.Local().Format("2006-01-02 15:04"),
			outcomeOf(r), c.bold(memory.Clean(res.Titles[i])), c.dim(sizeOf(r)), c.dim(movedText(r)), c.dim(c.at(res.Places[i])))
		if stat {
			c.printStat(changesOf(r), "  ")
		}
	}
}

// outcomeOf tells in a word or two how an entry ended.
func outcomeOf(r api.Run) string {
	switch {
	case r.Outcome == "":
		return string(r.Kind)
	case r.Undone != nil:
		return "undone"
	}
	return strings.ReplaceAll(string(r.Outcome), "_", " ")
}

// sizeOf sums up what an entry changed.
func sizeOf(r api.Run) string {
	var parts []string
	add := func(n int, noun string) {
		if n > 0 {
			parts = append(parts, plural.Count(n, noun))
		}
	}
	changes, possible := changesOf(r), 0
	for _, c := range changes {
		if c.Certainty == memory.Possible {
			possible++
		}
	}
	add(len(r.Commits), "commit")
	add(len(r.Possible), "possible commit")
	add(len(changes)-possible, "change")
	add(possible, "possible change")
	if r.Kind != memory.KindNote {
		add(len(r.Memories), "memory")
	}
	if len(r.Unread) > 0 {
		parts = append(parts, "changes not fully read")
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("  (%s)", strings.Join(parts, ", "))
}

// changesOf are all changes of an entry.
func changesOf(r api.Run) []api.Change {
	return append(append([]api.Change{}, r.Changes...), r.Uncommitted...)
}

// movedCommits lists the commits of an entry that were rewritten or are gone:
// "a1b2c3d (now d4e5f6a)".
func movedCommits(r api.Run) (list []string) {
	for _, c := range r.Commits {
		if mark := linkMark(c.State, c.Now); mark != "" {
			list = append(list, shortCommit(c.ID)+mark)
		}
	}
	return list
}

// movedText is the beginning of that list, for the line of a log.
func movedText(r api.Run) string {
	const shown = 3
	list := movedCommits(r)
	if more := len(list) - shown; more > 0 {
		list = append(list[:shown], fmt.Sprintf("and %d more", more))
	}
	if len(list) == 0 {
		return ""
	}
	return "  " + strings.Join(list, ", ")
}
