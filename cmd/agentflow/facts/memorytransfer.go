package facts

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"agentflow/app/api"
	"agentflow/app/transfer"
	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/cliflag"
	"agentflow/internal/plural"
	"agentflow/memory"

	"github.com/spf13/cobra"
)

func memoryExportCommand(c *cli.Env) *cobra.Command {
	var req transfer.ExportRequest
	var output string
	cmd := &cobra.Command{
		Use:   "export [flags]",
		Short: "Write memory out as JSON Lines or Markdown",
		Long: `Export writes the entries and facts that memory holds to stdout or to a file:
as JSON Lines, with every field, or as Markdown, unchanged; 'agentflow memory
import' reads both. Without a filter, files with text that a person wrote and notes
of the memory tool go out whole too, and come back as they were.
With --type, --tag or --namespace an entry counts when one of
its facts does. 'forget --purge' does not reach what was exported.`,
		Example: `  agentflow memory export -o memory.jsonl
  agentflow memory export --format markdown --since 30d
  agentflow memory export --facts-only --tag testing | jq -r .text`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if output == "" {
				req.To = c.Verbatim()
			} else {
				req.File = absolute(c, output)
			}
			done, err := transfer.Export(cmd.Context(), c.Memory, req)
			if err == nil && output != "" {
				c.Say("exported %s to %s", plural.Count(done.Count, "memory"), output)
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&req.Format, "format", "jsonl", "jsonl or markdown")
	flags.StringVarP(&output, "output", "o", "", "write to this `file`")
	flags.BoolVar(&req.Replace, "force", false, "replace the file when it is there")
	cli.PeriodFlags(cmd, &req.Since, &req.Until)
	cli.TypeFlag(cmd, &req.Type, "only facts of this `type`")
	flags.StringArrayVar(&req.Tags, "tag", nil, "only facts with this `tag`; several narrow")
	namespaceFlag(cmd, &req.Namespace, "only facts of this `namespace`: project, branch (the current one), branch/NAME, run/ID, team or global")
	flags.BoolVar(&req.FactsOnly, "facts-only", false, "only facts, without the entries around them")
	cliflag.Complete(cmd, "format", transfer.ExportFormats...)
	return cmd
}

// absolute returns a path that the user gave as an absolute path.
func absolute(c *cli.Env, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(c.Dir, path)
}

func memoryImportCommand(c *cli.Env) *cobra.Command {
	var req transfer.ImportRequest
	cmd := c.WithJSON("one JSON object: added, standing, same, forgotten, problems, dry_run, undo", &cobra.Command{
		Use:   "import [flags] FILE|DIR…",
		Short: "Take in memory from a file, or from another tool's notes",
		Long: `Import reads what 'agentflow memory export' wrote, memory files of AgentFlow's,
and notes of other tools: a MEMORY.md or CLAUDE.md, daily notes such as
memory/2026-11-21.md, topic files with front matter. Files that end with .jsonl
are JSON Lines, all others Markdown; - reads JSON Lines from standard input; of
a folder every .md and .jsonl file is read, but for hidden ones. Of notes each
item of a list and each paragraph becomes a fact; dated ones go to the file of
their day, others to MEMORY.md. Code, tables and single words become searchable
text in imported/. Lines that only introduce what follows are left out.

A whole file of an export is taken as it stood where memory has none of its name;
elsewhere what it says is added. It only adds, and importing twice is importing
once: what has an id that memory knows, says what a fact says already, or was
forgotten is passed over.
Secrets are redacted. What cannot be read is named with its line; the rest is
taken in as one change.`,
		Example: `  agentflow memory import memory.jsonl
  agentflow memory import --dry-run ~/.claude/projects/x/memory CLAUDE.md
  agentflow memory import --namespace branch/parser notes/`,
		Args: cliflag.AtLeastOne("a file or a folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, arg := range args {
				if arg == "-" {
					req.Lines = c.In
				} else {
					req.Paths = append(req.Paths, absolute(c, arg))
				}
			}
			done, err := transfer.Import(cmd.Context(), c.Memory, req)
			if errors.Is(err, transfer.ErrNothingRead) && c.Selection.Wanted {
				return errors.Join(c.Json(done.Imported), cli.Ended{Code: cli.ExitError, Err: err, Reported: true})
			}
			if !c.Selection.Wanted {
				for _, p := range done.Problems {
					c.Warn("%s", p)
				}
			}
			return c.Result(err, done.Imported, func() { printImported(c, done.Imported) })
		},
	})
	cmd.Flags().BoolVar(&req.DryRun, "dry-run", false, "show what would be added, and add nothing")
	namespaceFlag(cmd, &req.Namespace, "where facts hold that do not say it: project, branch (the current one), branch/NAME, run/ID, team, or global, which is your own memory")
	return cmd
}

// printImported prints what was added and what was not. For a dry run, it prints what
// each file would gain.
func printImported(c *cli.Env, done api.Imported) {
	file, texts, did := "", 0, "imported"
	if done.DryRun {
		did = "would import"
	}
	added := slices.Clone(done.Added)
	slices.SortStableFunc(added, func(a, b api.Added) int { return cmp.Compare(a.File, b.File) })
	for _, a := range added {
		if a.ID == "" {
			texts++
		}
		if !done.DryRun {
			continue
		}
		if a.File != file {
			file = a.File
			c.Printf("%s\n", c.Bold(cli.AtEntry(c, file)))
		}
		c.Printf("+ %s  %s\n", c.Dim(cmp.Or(memory.ShortID(a.ID), "  text")), cmp.Or(a.Heading, memory.Title(a.Text)))
	}
	line := fmt.Sprintf("%s %s", did, plural.Count(len(done.Added)-texts, "memory"))
	if texts > 0 {
		line += " and " + plural.Count(texts, "text") + " that search finds"
	}
	separator := ", "
	if len(done.Added) == 0 {
		line, separator = did+" nothing", ": "
	}
	for _, part := range []struct {
		n    int
		what string
	}{{done.Standing, "already in memory"}, {done.Same, "with the text of another"}, {done.Forgotten, "forgotten before"}} {
		if part.n > 0 {
			line += fmt.Sprintf("%s%d %s", separator, part.n, part.what)
			separator = ", "
		}
	}
	c.Say("%s", line)
	sayUndo(c, done.Undo)
}
