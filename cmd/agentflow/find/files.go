package find

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"agentflow/app/search"
	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/cliflag"
	"agentflow/internal/gctuning"
	"agentflow/memory"

	"github.com/spf13/cobra"
)

// Files returns the command files.
func Files(c *cli.Env) *cobra.Command {
	req := search.LikelyFilesRequest{Limit: 10}
	cmd := c.WithJSON("one JSON object: files, the likeliest first", &cobra.Command{
		Use:   "files [flags] TASK…",
		Short: "Say which files a task will likely touch",
		Long: `Files lists the files that a task will likely touch, each with its chance and with
the strongest evidence: files of earlier runs and commits about similar tasks, files
changed together with those, names in paths, and names in the files themselves. Runs
and sessions are shown those that are sure enough, which are marked here.`,
		Example: `  agentflow files "expire idle sessions"
  agentflow files --explain -n 3 "fix the flaky login test"`,
		Args: cliflag.AtLeastOne("a task"),
		RunE: func(cmd *cobra.Command, args []string) error {
			gctuning.Hurry()
			req.Task = strings.Join(args, " ")
			res, err := search.LikelyFiles(cmd.Context(), c.Memory, req)
			return c.Result(err, res.LikelyFiles, func() { PrintFiles(c, res.Files, req.Explain) })
		},
	})
	cliflag.AtLeast(cmd, &req.Limit, "limit", "n", 1, "at most this many files")
	cmd.Flags().BoolVar(&req.Explain, "explain", false, "show what each feature gave to the score")
	return cmd
}

// PrintFiles prints the likely files of a task, a line each.
func PrintFiles(c *cli.Env, files []memory.LikelyFile, explain bool) {
	if len(files) == 0 {
		c.Say("memory knows no files for this task")
		c.Hint("it learns them from runs and sessions, and from git's history with 'agentflow backfill'")
	}
	for _, f := range files {
		mark := " "
		if f.Sure {
			mark = "*"
		}
		c.Printf("%s %3.0f %%  %s  %s\n", mark, 100*f.Chance, c.Bold(cli.CleanLine(f.Path)), c.Dim(cli.CleanLine(f.Why)))
		if explain {
			c.Printf("          %s\n", c.Dim(scoreParts(f)))
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
