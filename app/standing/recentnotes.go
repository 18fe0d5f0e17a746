package standing

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentflow/app"
	"agentflow/app/lookup"
	"agentflow/app/memoryfiles"
	"agentflow/internal/safefile"
	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/prompt"
)

// notesSince returns the notes of the day of now and of the day before, newest first: facts, text that a person wrote
// into the day's file, and notes that agents wrote with the memory tool. It leaves out notes of runs that were taken
// back.
func notesSince(ctx context.Context, s *app.Repo, now time.Time) (notes []prompt.Fact, failed error) {
	if s.Settings.Recall.Standing == 0 || app.UntrustedPart(ctx, s).Outside {
		return nil, nil
	}
	for _, day := range []time.Time{now, now.AddDate(0, 0, -1)} {
		name, ok := dayFile(s, day)
		if !ok || app.UntrustedPart(ctx, s).File("memory/"+name) {
			continue
		}
		more, err := notesOf(s, name, day)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("reading the facts of %s: %w", day.Format(time.DateOnly), err))
		}
		notes = append(notes, more...)
		more, err = lookup.ToolNotes(ctx, s, day)
		failed = errors.Join(failed, err)
		notes = append(notes, more...)
	}
	return notes, failed
}

// dayFile returns the user's own file of a day. If the repository brought a file with that name, the store writes to
// another one.
func dayFile(s *app.Repo, day time.Time) (name string, ok bool) {
	const most = 100 // the store has the same limit
	first := memory.DayFile(day)
	for n := 1; n < most; n++ {
		if name = first; n > 1 {
			name = fmt.Sprintf("%s-%d.md", strings.TrimSuffix(first, ".md"), n)
		}
		if !s.Refuses("memory/" + name) {
			return name, true
		}
	}
	return "", false
}

// notesOf returns the facts of a day in a file of memory, newest first.
func notesOf(s *app.Repo, name string, day time.Time) ([]prompt.Fact, error) {
	text, err := memoryfiles.Read(filepath.Join(s.Memory(), name))
	if safefile.IsAbsent(err) || errors.Is(err, safefile.ErrNotRegular) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	text, before := lastEntries(text, lookup.MaxDayRecalled)
	doc := markdown.Parse(text)
	notes := lookup.HandWritten(s, doc, name, before, day, memory.Fact{})
	for _, b := range slices.Backward(doc.Blocks) { // of entries in the same second, the last is the newest
		if b.Entry != nil && b.Entry.IsUndone() {
			continue
		}
		for _, at := range slices.Backward(b.Facts) {
			f := at.Fact
			if b.Entry != nil {
				f = ownedBy(b.Entry, f)
			}
			if f.Created.Format(time.DateOnly) != day.Format(time.DateOnly) {
				continue // it only arrived on that day, for example by an import
			}
			f = f.Redacted(s.Redact.Text) // a person may have written it by hand
			notes = append(notes, prompt.Fact{Fact: f, Path: "memory/" + name, Line: before + at.StartLine})
		}
	}
	return notes, nil
}

// lastEntries returns the end of a file from a heading on, at most most bytes, and the number of lines before it.
func lastEntries(text []byte, most int) (end []byte, before int) {
	if len(text) <= most {
		return text, 0
	}
	at := len(text) - most
	heading := bytes.Index(text[at:], []byte("\n## "))
	if heading < 0 {
		return nil, 0
	}
	at += heading + 1
	return text[at:], bytes.Count(text[:at], []byte("\n"))
}
