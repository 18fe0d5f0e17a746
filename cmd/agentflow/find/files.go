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
	"agentflow/internal/roles"
	"agentflow/memory/retrieval"

	"github.com/spf13/cobra"
)

// Files returns the command files.
func Files(c *cli.Env) *cobra.Command {
	req := search.LikelyFilesRequest{Limit: 10}
	cmd := c.WithJSON("one JSON object: files", &cobra.Command{
		Use:   "files [flags] TASK…",
		Short: "Say which files a task will likely touch",
		Long: `Files lists the files that a task will likely touch, each with its chance and with
the strongest evidence: names in the task, files of earlier runs and commits about
similar tasks, files changed together with those, names in paths, and names in the
files themselves. Tests and documents follow the files to change. Runs and sessions
are shown those that are sure enough, which are marked here.`,
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
	cliflag.AtLeast(cmd, &req.Limit, "limit", "n", 1, "at most this many files to change, tests and documents each")
	cmd.Flags().BoolVar(&req.Explain, "explain", false, "show what each feature gave to the score")
	return cmd
}

// PrintFiles prints the likely files of a task, a line each: those to change, tests, documents.
func PrintFiles(c *cli.Env, files []retrieval.LikelyFile, explain bool) {
	if len(files) == 0 {
		c.Nothing("memory knows no files for this task", "it learns them from runs and sessions, and from git's history with 'agentflow backfill'")
	}
	last := roles.Change
	for _, f := range files {
		if part := roles.Role(f.Role).Part(); part != last {
			c.Printf("%s\n", c.Dim(part.String()))
			last = part
		}
		printFile(c, f, explain)
	}
}

func printFile(c *cli.Env, f retrieval.LikelyFile, explain bool) {
	mark := " "
	if f.Sure {
		mark = "*"
	}
	c.Printf("%s %3.0f %%  %s  %s\n", mark, 100*f.Chance, c.Bold(cli.CleanLine(f.Path)), c.Dim(cli.CleanLine(f.Why)))
	if explain {
		c.Printf("          %s\n", c.Dim(scoreParts(f)))
	}
}

// scoreParts returns the parts of a score that are not 0, by name.
func scoreParts(f retrieval.LikelyFile) string {
	parts := []string{fmt.Sprintf("score %.2f", f.Score)}
	for _, name := range slices.Sorted(maps.Keys(f.Parts)) {
		if part := f.Parts[name]; part > 0.005 || part < -0.005 {
			parts = append(parts, fmt.Sprintf("%s %.2f", name, part))
		}
	}
	return strings.Join(parts, " · ")
}
