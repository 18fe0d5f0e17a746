package app

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

	"agentflow/internal/atomicfile"
	"agentflow/internal/plural"
	"agentflow/memory"
	"agentflow/transfer"
)

// ExportFormats are the formats that Export writes.
var ExportFormats = transfer.Formats

// ExportRequest says what of memory to write where. Zero values of the fields
// that choose let everything pass; an entry passes Type, Tags and Namespace with
// any of its facts.
type ExportRequest struct {
	To      io.Writer // gets the export, whole lines with each Write; nil: File does
	File    string    // absolute path of a file to write
	Replace bool      // File may be there already
	Format  string    // one of ExportFormats; empty: jsonl

	Since, Until time.Time       // Since inclusive, Until exclusive; what has no date passes neither
	Type         memory.FactType // only facts of this type
	Tags         []string        // only facts with each of these tags
	Namespace    string          // only facts of this one; global: the user's own memory
	FactsOnly    bool            // each fact on its own, without the entries around them
}

// ExportResult says what was written.
type ExportResult struct {
	Count    int // of entries, and of facts that stand alone
	Degraded []string
}

// Export writes entries and facts, so that Import reads them without a loss.
// Judgements are left out. Errors are of KindUsage, KindNoPlace and
// KindRefused: File is there already, or nothing was ever remembered in the
// user's own memory.
func (m *Memory) Export(ctx context.Context, req ExportRequest) (result ExportResult, err error) {
	o := m.begin(ctx)
	defer o.end(&result.Degraded, &err)
	req.Format = cmp.Or(req.Format, transfer.Formats[0])
	filter := transfer.Filter{Since: req.Since, Until: req.Until, Type: req.Type, Tags: req.Tags, FactsOnly: req.FactsOnly}
	switch {
	case !slices.Contains(transfer.Formats, req.Format):
		return result, usagef("the format must be %s, not %q", plural.Or(transfer.Formats), req.Format)
	case req.Type != "" && !req.Type.Known():
		return result, usagef("type: %w", checkType(req.Type, time.Time{}))
	}
	if req.To == nil {
		if err := mayWrite(req.File, req.Replace); err != nil {
			return result, fmt.Errorf("writing the export: %w", err)
		}
	}
	var files transfer.Files
	s, ns, err := o.openNamespace(ctx, req.Namespace, o.openToRead, false)
	nothing := errors.Is(err, errNothing)
	if o.orNothing(&err); err != nil {
		return result, err
	}
	if !nothing {
		if !s.isGlobal() { // all of that is global
			filter.Namespace = ns
		}
		if files, err = s.exported(); err != nil {
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

// mayWrite refuses a file that is there.
func mayWrite(file string, replace bool) error {
	if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() {
		return &Error{Kind: KindRefused, Err: fmt.Errorf("%s is no regular file", file), Hint: "without --output it goes to standard output"}
	}
	if replace {
		return nil
	}
	_, err := os.Lstat(file)
	switch {
	case err == nil:
		return &Error{Kind: KindRefused, Err: fmt.Errorf("%s is there already", file), Hint: "--force replaces it"}
	case errors.Is(err, fs.ErrNotExist):
		return nil
	}
	return err
}

// exported are the files of memory that an export reads.
func (s *openMemory) exported() (transfer.Files, error) {
	paths, err := s.files()
	of := transfer.Files{Read: func(name string) ([]byte, error) {
		return readMemory(filepath.Join(s.Memory(), filepath.FromSlash(name)))
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
