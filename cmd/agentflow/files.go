package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"agentflow/app/search"
	"agentflow/internal/cliflag"
	"agentflow/internal/gctuning"
	"agentflow/memory"

	"github.com/spf13/cobra"
)

func filesCommand(c *cli) *cobra.Command {
	req := search.LikelyFilesRequest{Limit: 10}
	cmd := c.withJSON("one JSON object: files, the likeliest first", &cobra.Command{
		Use:   "files [flags] TASK…",
		Short: "Say which files a task will likely touch",
		Long: `Files lists the files that a task will likely touch, each with its chance and with
what tells most for it: what earlier runs and commits about the like of it touched,
what was changed with that, names in paths, and names in the files themselves. Runs
and sessions are shown those that are sure enough, which are marked here.`,
		Example: `  agentflow files "expire idle sessions"
  agentflow files --explain -n 3 "fix the flaky login test"`,
		Args: cliflag.AtLeastOne("a task"),
		RunE: func(cmd *cobra.Command, args []string) error {
			gctuning.Hurry()
			req.Task = strings.Join(args, " ")
			res, err := search.LikelyFiles(cmd.Context(), c.memory, req)
			return c.result(err, res.LikelyFiles, func() { printFiles(c, res.Files, req.Explain) })
		},
	})
	cliflag.AtLeast(cmd, &req.Limit, "limit", "n", 1, "at most this many files")
	cmd.Flags().BoolVar(&req.Explain, "explain", false, "show what each feature gave to the score")
	return cmd
}

func printFiles(c *cli, files []memory.LikelyFile, explain bool) {
	if len(files) == 0 {
		c.say("memory knows no files for this task")
		c.hint("it learns them from runs and sessions, and from git's history with 'agentflow backfill'")
	}
	for _, f := range files {
		mark := " "
		if f.Sure {
			mark = "*"
		}
		c.printf("%s %3.0f %%  %s  %s\n", mark, 100*f.Chance, c.bold(cleanLine(f.Path)), c.dim(cleanLine(f.Why)))
		if explain {
			c.printf("          %s\n", c.dim(scoreParts(f)))
		}
	}
}

// scoreParts returns the parts of a score that are not 0, by name.
func scoreParts(f memory.LikelyFile) string {
	parts := []string{fmt.Sprintf("score %.2f", f.Score)}
	for _, name := range slices.Sorted(maps.Keys(f.Parts)) {
		if part := f.Parts[name]; part > 0.005 || part < -0.005 {
			parts = append(parts, fmt.Sprintf("%s %.2f", name, part))
		}
	}
	return strings.Join(parts, " · ")
}
