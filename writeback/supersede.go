package writeback

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/archive"
	"agentflow/writeback/internal/items"
	"agentflow/writeback/internal/options"
)

// Supersede records a note as Remember does, and in the same change strikes the fact f.Supersedes
// wherever it is, with a pointer to the new one. It plans again if files were edited in the
// meantime. If several callers replace a fact by the same words at the same time, one of them
// writes, and the others get the fact it wrote. If another fact already says the same, that fact
// becomes the replacement. The error matches ErrNotFound if there is no fact with the id
// f.Supersedes, or ErrLocked. After an error nothing is written, unless Recover finishes the change
// and reports it.
func (s *Store) Supersede(ctx context.Context, f memory.Fact, now time.Time, meta Meta) (Remembered, error) {
	e, err := newNote(s.Place, f, now, meta)
	if err != nil {
		return Remembered{}, err
	}
	done := Remembered{Entry: e, File: filepath.Join(s.Memory, s.Folder.DayFile(e.Time))}
	var undo *string
	if meta.Undo {
		undo = new(string)
	}
	err = s.Revise(ctx, func(files map[string][]byte) (Change, error) {
		if done.Existing = replacement(s.Place, files, f); done.Existing != nil {
			return Change{}, nil
		}
		if done.Existing = sayer(s.Place, files, f); done.Existing != nil {
			done.Struck = true
			return Change{Command: archive.RememberCommand, Title: archive.RememberTitle(done.Existing.ID), Edits: yielding(files, f.Supersedes, done.Existing.ID), Kept: undo}, nil
		}
		c := Change{Command: archive.RememberCommand, Title: archive.RememberTitle(e.Facts[0].ID), Edits: superseding(files, e, s.Folder.DayFile(e.Time)), Kept: undo}
		if len(c.Edits) == 0 {
			return c, ErrNotFound
		}
		return c, nil
	})
	if err != nil {
		return Remembered{}, fmt.Errorf("superseding %s: %w", memory.ShortID(f.Supersedes), err)
	}
	return done, nil
}

// sayer returns another fact that says the same as f and replaces none. It returns nil if there is
// none, if the fact to replace does not exist, or if an agent stores f: an agent does not change
// facts this way.
func sayer(o *options.Place, files map[string][]byte, f memory.Fact) (says *Standing) {
	if f.ByTool() {
		return nil
	}
	there := false
	for _, name := range slices.Sorted(maps.Keys(files)) {
		for _, at := range markdown.Parse(files[name]).Facts() {
			there = there || at.ID == f.Supersedes
			if says == nil && at.ID != "" && at.ID != f.Supersedes && at.Supersedes == "" && at.Live(o.Now()) && o.Same(at.Fact, f) {
				says = &Standing{Fact: at.Fact, File: name, StartLine: at.StartLine, EndLine: at.EndLine}
			}
		}
	}
	if !there {
		return nil
	}
	return says
}

// yielding plans that an existing fact replaces an older one.
func yielding(files map[string][]byte, older, id string) (edits []memory.FileEdit) {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		var after []byte
		changes := false
		for _, b := range markdown.Parse(files[name]).Blocks {
			after = append(after, b.Revise(func(at *markdown.FactAt) (markdown.Revision, memory.Fact) {
				f := at.Fact
				switch f.ID {
				case older:
					f.Struck, f.SupersededBy = true, id
				case id:
					f.Supersedes = older
				default:
					return markdown.Stays, f
				}
				changes = true
				return markdown.Changes, f
			})...)
		}
		if changes {
			edits = append(edits, memory.FileEdit{File: name, Before: files[name], After: after})
		}
	}
	return edits
}

// replacement returns the fact that has already replaced the fact to be replaced by f and says the
// same as f, or nil.
func replacement(o *options.Place, files map[string][]byte, f memory.Fact) *Standing {
	for name, content := range files {
		for _, at := range markdown.Parse(content).Facts() {
			if at.Supersedes == f.Supersedes && at.Live(o.Now()) && o.Same(at.Fact, f) {
				return &Standing{Fact: at.Fact, File: name, StartLine: at.StartLine, EndLine: at.EndLine}
			}
		}
	}
	return nil
}

// superseding plans the replacement: first the note, then the older fact in each file that holds
// it. It returns nil if no file does.
func superseding(files map[string][]byte, e memory.Entry, day string) []memory.FileEdit {
	f := e.Facts[0]
	strike := func(content []byte) (after []byte, here bool) {
		for _, b := range markdown.Parse(content).Blocks {
			after = append(after, b.Revise(func(at *markdown.FactAt) (markdown.Revision, memory.Fact) {
				old := at.Fact
				if old.ID != f.Supersedes {
					return markdown.Stays, old
				}
				old.Struck, old.SupersededBy, here = true, f.ID, true
				return markdown.Changes, old
			})...)
		}
		return after, here
	}
	found := false
	var edits []memory.FileEdit
	for _, name := range slices.Sorted(maps.Keys(files)) {
		after, here := strike(files[name])
		if found = found || here; here && name != day {
			edits = append(edits, memory.FileEdit{File: name, Before: files[name], After: after})
		}
	}
	if !found {
		return nil
	}
	today, _ := strike(files[day])
	note := markdown.FormatV2(e)
	if text, ok := markdown.AddNote(today, note); ok {
		today = text
	} else {
		today = slices.Concat(today, []byte(items.Separator(today, day, note)), note)
	}
	return slices.Concat([]memory.FileEdit{{File: day, Before: files[day], After: today}}, edits)
}
