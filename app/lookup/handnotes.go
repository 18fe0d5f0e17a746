package lookup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentflow/app"
	"agentflow/app/memoryfiles"
	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/prompt"
)

// HandWritten returns the notes of a day in the hand-written text of a file, the last
// first. before is the number of lines in the file above the document. like has the source
// of the notes, and the time of the notes without a date.
func HandWritten(s *app.Repo, doc *markdown.Document, name string, before int, day time.Time, like memory.Fact) (notes []prompt.Fact) {
	for _, n := range slices.Backward(doc.Notes(name)) {
		at := n.Date
		if at.IsZero() {
			at = like.Created
		}
		if n.Fact != nil || n.Struck || n.Leads || at.Format(time.DateOnly) != day.Format(time.DateOnly) {
			continue
		}
		f := n.AsFact()
		f.Source, f.Created = like.Source, at
		if f.Source == memory.ByAgent { // an agent's text cannot pin itself
			f.Tags = slices.DeleteFunc(slices.Clone(f.Tags), func(tag string) bool { return tag == memory.PinnedTag })
		}
		notes = append(notes, prompt.Fact{Fact: f.Redacted(s.Redact.Text), Path: "memory/" + name, Line: before + n.StartLine})
	}
	return notes
}

// maxToolNotes limits the memory tool's files that are read for a day: the ones that
// changed last.
const maxToolNotes = 20

// ToolNotes returns the notes in the files of the memory tool that changed on a day. A file
// has no date but the time of its last change.
func ToolNotes(ctx context.Context, s *app.Repo, day time.Time) (notes []prompt.Fact, failed error) {
	files, err := toolFiles(ctx, s, day)
	if err != nil {
		return nil, fmt.Errorf("listing notes of the memory tool: %w", err)
	}
	for _, f := range files {
		text, err := ReadBeginning(filepath.Join(s.Memory(), filepath.FromSlash(f.name)), MaxDayRecalled)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("reading %s: %w", f.name, err))
			continue
		}
		doc := markdown.Parse(text)
		notes = append(notes, HandWritten(s, doc, f.name, 0, day, memory.Fact{Source: memory.ByAgent, Created: f.changed})...)
	}
	return notes, failed
}

type toolFile struct {
	name    string // in the memory folder, '/' separated
	changed time.Time
}

func toolFiles(ctx context.Context, s *app.Repo, day time.Time) (list []toolFile, err error) {
	root := filepath.Join(s.Memory(), filepath.FromSlash(memory.NotesFolder))
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) || err == nil && (!d.Type().IsRegular() || !strings.HasSuffix(path, ".md") || memoryfiles.IsUntrusted(s, path)) {
			return nil
		}
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return nil // it was removed meanwhile
		}
		name, err := filepath.Rel(s.Memory(), path)
		if changed := info.ModTime().In(day.Location()); changed.Format(time.DateOnly) == day.Format(time.DateOnly) {
			list = append(list, toolFile{filepath.ToSlash(name), changed})
		}
		return cmp.Or(err, ctx.Err())
	})
	slices.SortFunc(list, func(a, b toolFile) int {
		return cmp.Or(b.changed.Compare(a.changed), strings.Compare(a.name, b.name))
	})
	return list[:min(len(list), maxToolNotes)], err
}
