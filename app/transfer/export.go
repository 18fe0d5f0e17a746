// Package transfer exports memory (Export), and imports memory and the notes of other tools (Import). The pure
// package transfer defines the formats and plans what an import adds.
//
// Guarantees: an import is one change, and 'memory undo' takes it back. It never overwrites: it skips and counts an
// item with a known id, one that repeats a fact, and one that was forgotten. It redacts secrets, reports lines that
// cannot be read, and imports the others. An export replaces a file only on request, and only a regular file.
//
// Not guaranteed: judgements are not exported.
package transfer

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"agentflow/app"
	"agentflow/app/fact"
	"agentflow/app/lookup"
	"agentflow/app/memoryfiles"
	"agentflow/internal/atomicfile"
	"agentflow/internal/plural"
	"agentflow/internal/transfer"
	"agentflow/memory"
)

// ExportFormats lists the formats that Export writes.
var ExportFormats = transfer.Formats

// ExportRequest selects what to export, and where to. Zero values of the filters select everything.
// An entry passes Type, Tags and Namespace if any of its facts passes.
type ExportRequest struct {
	To      io.Writer // receives the export, whole lines with each Write; nil: write File
	File    string    // absolute path of a file to write
	Replace bool      // File may exist
	Format  string    // one of ExportFormats; empty: jsonl

	Since, Until time.Time       // Since inclusive, Until exclusive; items without a date pass neither
	Type         memory.FactType // only facts of this type
	Tags         []string        // only facts with each of these tags
	Namespace    string          // only facts of this namespace; global: the user's own memory
	FactsOnly    bool            // each fact as an item, without its entry
}

// ExportResult says how much was written.
type ExportResult struct {
	Count    int // number of entries, and of facts outside entries
	Degraded []string
}

// Export writes entries and facts so that Import reads them without loss. It leaves out judgements.
// Errors are of KindUsage, KindNoPlace and KindRefused (File exists and Replace is not set, or it
// is not a regular file).
func Export(ctx context.Context, m *app.Memory, req ExportRequest) (result ExportResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&result.Degraded, &err)
	req.Format = cmp.Or(req.Format, transfer.Formats[0])
	filter := transfer.Filter{Since: req.Since, Until: req.Until, Type: req.Type, Tags: req.Tags, FactsOnly: req.FactsOnly}
	switch {
	case !slices.Contains(transfer.Formats, req.Format):
		return result, app.Usagef("the format must be %s, not %q", plural.Or(transfer.Formats), req.Format)
	case req.Type != "" && !req.Type.Known():
		return result, app.Usagef("type: %w", fact.CheckType(req.Type, time.Time{}))
	}
	if req.To == nil {
		if err := mayWrite(req.File, req.Replace); err != nil {
			return result, fmt.Errorf("writing the export: %w", err)
		}
	}
	var files transfer.Files
	s, ns, err := lookup.OpenNamespace(ctx, o, req.Namespace, o.OpenToRead, false)
	nothing := errors.Is(err, app.ErrNothing)
	if o.OrNothing(&err); err != nil {
		return result, err
	}
	if !nothing {
		if !s.IsGlobal() { // all facts there are global
			filter.Namespace = ns
		}
		if files, err = exported(s); err != nil {
			return result, fmt.Errorf("reading memory: %w", err)
		}
	}
	write := func(w io.Writer) (err error) {
		result.Count, err = transfer.Export(w, files, req.Format, filter)
		return err
	}
	if req.To != nil {
		return result, write(req.To)
	}
	err = atomicfile.Stream(req.File, 0o600, func(w io.Writer) error {
		buffered := bufio.NewWriterSize(w, 1<<20)
		return cmp.Or(write(buffered), buffered.Flush())
	})
	if err != nil {
		err = fmt.Errorf("writing the export: %w", err)
	}
	return result, err
}

// mayWrite returns an error if the file exists and must not be replaced.
func mayWrite(file string, replace bool) error {
	if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() {
		return &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("%s is no regular file", file), Hint: "without --output it goes to standard output"}
	}
	if replace {
		return nil
	}
	_, err := os.Lstat(file)
	switch {
	case err == nil:
		return &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("%s is there already", file), Hint: "--force replaces it"}
	case errors.Is(err, fs.ErrNotExist):
		return nil
	}
	return err
}

// exported returns the files of memory for an export.
func exported(s *app.Repo) (transfer.Files, error) {
	paths, err := memoryfiles.List(s)
	of := transfer.Files{Read: func(name string) ([]byte, error) {
		return memoryfiles.Read(filepath.Join(s.Memory(), filepath.FromSlash(name)))
	}}
	for _, path := range paths {
		rel, err := filepath.Rel(s.Memory(), path)
		if err != nil {
			return of, err
		}
		of.Names = append(of.Names, filepath.ToSlash(rel))
	}
	return of, err
}
