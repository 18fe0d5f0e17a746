package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"agentflow/internal/plural"

	"agentflow/memory"
	"agentflow/transfer"
	"agentflow/writeback"

	"github.com/spf13/cobra"
)

func (a *operation) memoryImportCommand() *cobra.Command {
	var dryRun, asJSON bool
	var namespace string
	cmd := &cobra.Command{
		Use:   "import [flags] FILE|DIR…",
		Short: "Take in memory from a file, or from another tool's notes",
		Long: `Import reads what 'agentflow memory export' wrote, memory files of AgentFlow's,
and notes of other tools: a MEMORY.md or CLAUDE.md, daily notes such as
memory/2026-11-21.md, topic files with front matter. Files that end with .jsonl
are JSON Lines, all others Markdown; - reads JSON Lines from standard input; of
a folder every .md and .jsonl file is read, but for hidden ones. Of notes each
item of a list and each paragraph becomes a fact; dated ones go to the file of
their day, others to MEMORY.md. Code, tables and single words say nothing by
themselves: they go, as text that a search finds, to a file in imported/. Lines
that only lead to what follows them are left out.

It only adds, and importing twice is importing once: what has an id that
memory knows, says what a fact says already, or was forgotten is passed over.
Secrets are redacted. What cannot be read is named with its line; the rest is
taken in as one change.`,
		Example: `  agentflow memory import memory.jsonl
  agentflow memory import --dry-run ~/.claude/projects/x/memory CLAUDE.md
  agentflow memory import --namespace branch/parser notes/`,
		Args: atLeastOne("a file or a folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ns, err := namespaceFlag(namespace)
			if err != nil {
				return err
			}
			items, problems, err := a.readImports(args)
			if err != nil {
				return err
			}
			s, o, err := a.importSite(cmd.Context(), ns, dryRun)
			if err != nil {
				return err
			}
			transfer.Redact(items, s.redact.Text)
			report, err := s.takeIn(cmd.Context(), items, o, dryRun)
			report.Problems = append(problems, report.Problems...)
			if err != nil {
				s.warnOf(report.Problems)
				return err
			}
			return s.imported(report, dryRun, asJSON)
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "show what would be added, and add nothing")
	cmd.Flags().StringVar(&namespace, "namespace", "", "where facts hold that do not say it: project, branch (the current one), branch/NAME, run/ID, or global, which is your own memory")
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object: added, standing, same, forgotten, problems, dry_run")
	completeNamespace(cmd)
	return cmd
}

// importSite opens the memory that takes in facts of a namespace.
func (a *operation) importSite(ctx context.Context, ns *string, dryRun bool) (*site, transfer.Options, error) {
	o := transfer.Options{Now: time.Now()}
	if ns != nil {
		o.Namespace = *ns
	}
	var s *site
	var err error
	switch {
	case o.Namespace == memory.GlobalNamespace && dryRun:
		s, err = a.globalMemory(ctx)
	case o.Namespace == memory.GlobalNamespace:
		s, err = a.globalSite(ctx, true)
	case dryRun:
		s, err = a.site(ctx)
	default:
		s, err = a.writable(ctx)
	}
	if err != nil {
		return nil, o, err
	}
	o.Namespace, err = s.completed(ctx, o.Namespace)
	return s, o, err
}

// takeIn adds the items, as one change. The plan is made again when somebody
// edits memory meanwhile.
func (s *site) takeIn(ctx context.Context, items []transfer.Item, o transfer.Options, dryRun bool) (report transfer.Report, err error) {
	changed := false
	err = s.store.Revise(ctx, func(files map[string][]byte) (c writeback.Change, err error) {
		if o.Barred, err = s.store.Barred(ctx); err != nil {
			return c, err
		}
		c.Edits, report = transfer.Plan(files, items, o)
		if dryRun {
			return writeback.Change{}, nil
		}
		changed = len(c.Edits) > 0
		c.Verb, c.Title = "import", plural.Count(len(report.Added), "memory")
		return c, nil
	})
	if err != nil {
		report.Added = nil
		return report, err
	}
	if changed {
		s.reindex(ctx, "memory import")
	}
	return report, nil
}

// importObject is what memory import --json prints.
type importObject struct {
	transfer.Report
	DryRun bool `json:"dry_run"`
}

// imported tells what was added and what was not.
func (s *site) imported(r transfer.Report, dryRun, asJSON bool) error {
	var nothing error
	if len(r.Problems) > 0 && len(r.Added)+r.Standing+r.Same+r.Forgotten == 0 {
		nothing = codedError{code: exitError, err: errors.New("importing: nothing that was given could be read"), said: asJSON}
	}
	if asJSON {
		r.Added, r.Problems = filled(r.Added), filled(r.Problems)
		return errors.Join(s.json(importObject{r, dryRun}), nothing)
	}
	s.warnOf(r.Problems)
	if nothing != nil {
		return nothing
	}
	if dryRun {
		s.printAdded(r.Added)
	}
	verb := "imported"
	if dryRun {
		verb = "would import"
	}
	texts := 0
	for _, a := range r.Added {
		if a.ID == "" {
			texts++
		}
	}
	line := fmt.Sprintf("%s %s", verb, plural.Count(len(r.Added)-texts, "memory"))
	if texts > 0 {
		line += " and " + plural.Count(texts, "text") + " that search finds"
	}
	for _, part := range []struct {
		n    int
		what string
	}{{r.Standing, "known"}, {r.Same, "said already"}, {r.Forgotten, "forgotten before"}} {
		if part.n > 0 {
			line += fmt.Sprintf(", %d %s", part.n, part.what)
		}
	}
	s.say("%s", line)
	return nil
}

func (s *site) warnOf(problems []transfer.Problem) {
	for _, p := range problems {
		s.warn("%s", p)
	}
}

// printAdded shows what each file would gain.
func (s *site) printAdded(added []transfer.Added) {
	file := ""
	for _, a := range added {
		if a.File != file {
			file = a.File
			s.printf("%s\n", s.bold(cleanLine("memory/"+file)))
		}
		s.printf("+ %s  %s\n", s.dim(cmp.Or(memory.ShortID(a.ID), "  text")), memory.Title(a.Text))
	}
}

// readImports reads all files before anything is changed.
func (a *operation) readImports(args []string) (items []transfer.Item, problems []transfer.Problem, err error) {
	for _, arg := range args {
		files, err := a.importFiles(arg)
		if err != nil {
			return nil, nil, err
		}
		for _, f := range files {
			i, p, err := a.readImport(f)
			if err != nil {
				return nil, nil, err
			}
			items, problems = append(items, i...), append(problems, p...)
		}
	}
	return items, problems, nil
}

// importFile is a file to read, and what it is called.
type importFile struct{ path, name string }

func (a *operation) readImport(f importFile) ([]transfer.Item, []transfer.Problem, error) {
	if f.path == "-" {
		return transfer.Read(f.name, a.in)
	}
	in, err := os.Open(f.path)
	if err != nil {
		return nil, nil, fmt.Errorf("importing: %w", err)
	}
	defer in.Close()
	return transfer.Read(f.name, in)
}

// importFiles are those that an argument names: itself, or what a folder
// holds.
func (a *operation) importFiles(arg string) ([]importFile, error) {
	if arg == "-" {
		return []importFile{{arg, "stdin.jsonl"}}, nil
	}
	info, err := os.Stat(arg)
	if err != nil {
		return nil, fmt.Errorf("importing: %w", err)
	}
	if !info.IsDir() {
		return []importFile{{arg, filepath.Base(arg)}}, nil
	}
	var files []importFile
	if arg, err = filepath.EvalSymlinks(arg); err != nil {
		return nil, fmt.Errorf("importing: %w", err)
	}
	err = filepath.WalkDir(arg, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		hidden := at != arg && strings.HasPrefix(d.Name(), ".")
		if hidden && d.IsDir() {
			return filepath.SkipDir
		}
		rel, err := filepath.Rel(arg, at)
		if name := filepath.ToSlash(rel); err == nil && d.Type().IsRegular() && !hidden && importable(name) {
			files = append(files, importFile{at, name})
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("importing: %w", err)
	}
	if len(files) == 0 {
		return nil, usagef("%s holds no .md or .jsonl file", arg)
	}
	return files, nil
}

// importable says whether a file of a folder is one to read. Judgements are
// about runs that another memory had.
func importable(name string) bool {
	return path.Base(name) != memory.FeedbackFile && (strings.EqualFold(path.Ext(name), ".md") || strings.EqualFold(path.Ext(name), ".jsonl"))
}
