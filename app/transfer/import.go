package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/lookup"
	"agentflow/app/share"
	"agentflow/internal/lists"
	"agentflow/internal/transfer"
	"agentflow/memory"
	"agentflow/writeback"
)

// ImportRequest names the files and lines to import.
type ImportRequest struct {
	Paths     []string  // absolute, of files and folders; of a folder every .md and .jsonl file that is not hidden
	Lines     io.Reader // JSON Lines as Export writes them; nil: none
	Namespace string    // for facts without one: project, branch, branch/NAME, run/ID, team or global (the user's memory)
	DryRun    bool      // add nothing
}

// ImportResult lists the added items, and counts the skipped ones.
type ImportResult struct {
	api.Imported
	Degraded []string
}

// ErrNothingRead reports that all imported text was damaged.
var ErrNothingRead = errors.New("importing: nothing that was given could be read")

// Import adds entries and facts as one change. It skips and counts an item with a known id, one that repeats a fact,
// and one that was forgotten. It redacts secrets. Errors have KindUsage, KindNoPlace, KindLocked, KindRefused
// (ErrNothingRead; the result has the problems) or KindInternal (a file cannot be read).
func Import(ctx context.Context, m *app.Memory, req ImportRequest) (result ImportResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&result.Degraded, &err)
	result.Imported = api.Imported{Added: []api.Added{}, Problems: []api.ImportProblem{}, DryRun: req.DryRun}
	var r importReader
	for _, path := range req.Paths {
		if err := r.readPath(path); err != nil {
			return result, err
		}
	}
	if req.Lines != nil {
		if err := r.read("stdin.jsonl", req.Lines); err != nil {
			return result, err
		}
	}
	s, ns, err := openToImport(ctx, o, req)
	if err != nil {
		return result, err
	}
	options := transfer.Options{Now: time.Now()}
	if ns != nil {
		options.Namespace = *ns
	}
	transfer.Redact(r.items, s.Redact.Text)
	add := func(ctx context.Context, items []transfer.Item, o transfer.Options, dryRun bool, undo *string) (transfer.Report, error) {
		return add(ctx, s, items, o, dryRun, undo)
	}
	if req.DryRun && !s.HasMemory() {
		add = addToNothing
	}
	report, err := add(ctx, r.items, options, req.DryRun, &result.Undo)
	result.Problems = lists.Filled(append(r.problems, report.Problems...))
	if err != nil {
		return result, err
	}
	result.Added, result.Standing, result.Same, result.Forgotten = lists.Filled(report.Added), report.Standing, report.Same, report.Forgotten
	if len(result.Problems) > 0 && len(report.Added)+report.Standing+report.Same+report.Forgotten == 0 {
		return result, &app.Error{Kind: app.KindRefused, Err: ErrNothingRead}
	}
	return result, nil
}

// openToImport opens the memory to import to. A dry run creates none: if there is no memory yet, openToImport returns
// the one that would be made, and touches nothing.
func openToImport(ctx context.Context, o *app.Operation, req ImportRequest) (*app.Repo, *string, error) {
	if !req.DryRun {
		return lookup.OpenNamespace(ctx, o, req.Namespace, o.OpenToWrite, true)
	}
	s, ns, err := lookup.OpenNamespace(ctx, o, req.Namespace, o.OpenRecovered, false)
	if !errors.Is(err, app.ErrNothing) {
		return s, ns, err
	}
	place, dirs, err := o.Place()
	if ns != nil && *ns == memory.GlobalNamespace {
		place = dirs.Global()
		s, err = app.AssembleGlobal(ctx, o, place, dirs)
		return s, ns, err
	}
	if err != nil {
		return nil, nil, err
	}
	settings, err := o.LoadOn(place, dirs)
	if err != nil {
		return nil, nil, err
	}
	s, err = o.Assemble(ctx, place, dirs, settings)
	if err == nil && ns != nil {
		*ns, err = lookup.Completed(ctx, s, *ns)
	}
	return s, ns, err
}

// addToNothing replaces add in a dry run without a memory.
func addToNothing(_ context.Context, items []transfer.Item, o transfer.Options, _ bool, _ *string) (transfer.Report, error) {
	_, report := transfer.Plan(nil, items, o)
	return report, nil
}

// add adds the items as one change. It plans again if memory changes meanwhile. undo gets the id with which the change
// can be taken back.
func add(ctx context.Context, s *app.Repo, items []transfer.Item, o transfer.Options, dryRun bool, undo *string) (report transfer.Report, err error) {
	changed := false
	err = s.Store.Revise(ctx, func(files map[string][]byte) (c writeback.Change, err error) {
		if o.Barred, err = s.Store.Barred(ctx); err != nil {
			return c, err
		}
		c.Edits, report = transfer.Plan(files, items, o)
		if dryRun {
			return writeback.Change{}, nil
		}
		changed = len(c.Edits) > 0
		c.Command, c.Title, c.Kept = "import", "import of "+transfer.CountAdded(report.Added), undo
		return c, nil
	})
	if err == nil && changed {
		share.FinishWrite(ctx, s, "memory import")
	}
	return report, err
}

// importReader reads all files before memory is changed.
type importReader struct {
	items    []transfer.Item
	problems []transfer.Problem
}

func (r *importReader) read(name string, from io.Reader) error {
	items, problems, err := transfer.Read(name, from)
	r.items, r.problems = append(r.items, items...), append(r.problems, problems...)
	return err
}

func (r *importReader) readFile(path, name string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("importing: %w", err)
	}
	defer f.Close()
	return r.read(name, f)
}

// readPath reads a file, or the files of a folder.
func (r *importReader) readPath(root string) error {
	info, err := os.Stat(root)
	if err != nil {
		return fmt.Errorf("importing: %w", err)
	}
	if !info.IsDir() {
		return r.readFile(root, filepath.Base(root))
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return fmt.Errorf("importing: %w", err)
	}
	files := 0
	err = filepath.WalkDir(root, func(at string, d fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("importing: %w", err)
		}
		hidden := at != root && strings.HasPrefix(d.Name(), ".")
		if hidden && d.IsDir() {
			return filepath.SkipDir
		}
		name, err := filepath.Rel(root, at)
		if err != nil || hidden || !d.Type().IsRegular() || !importable(d.Name()) {
			return err
		}
		files++
		return r.readFile(at, filepath.ToSlash(name))
	})
	if err == nil && files == 0 {
		err = app.Usagef("%s holds no .md or .jsonl file", root)
	}
	return err
}

// importable reports whether to read a file of a folder. It excludes judgements, which are about runs of another
// memory.
func importable(name string) bool {
	return name != memory.FeedbackFile && (strings.EqualFold(path.Ext(name), ".md") || strings.EqualFold(path.Ext(name), ".jsonl"))
}
