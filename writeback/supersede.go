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
)

// Supersede records a note as Remember does, and in the same change strikes
// the fact f.Supersedes wherever it stands, with a pointer to the new one. It
// is planned again where files were edited meanwhile. Of callers that replace
// a fact by the same words at once one writes; the others are told what it
// wrote. The error matches ErrNotFound when there is no such fact; ErrLocked.
// After an error nothing is written, unless Recover finishes it and says so.
func (s *Store) Supersede(ctx context.Context, f memory.Fact, now time.Time, meta Meta) (Remembered, error) {
	e, err := s.note(f, now, meta)
	if err != nil {
		return Remembered{}, err
	}
	done := Remembered{Entry: e, File: filepath.Join(s.Memory, s.dayFile(e.Time))}
	err = s.Revise(ctx, func(files map[string][]byte) (Change, error) {
		if done.Said = s.replacement(files, f); done.Said != nil {
			return Change{}, nil
		}
		c := Change{Verb: "remember", Title: firstLine(f.Text), Edits: superseding(files, e, s.dayFile(e.Time))}
		if len(c.Edits) == 0 {
			return c, ErrNotFound
		}
		return c, nil
	})
	if err != nil {
		return Remembered{}, fmt.Errorf("superseding %s: %w", f.Supersedes, err)
	}
	return done, nil
}

// replacement is the fact that replaced the one that f is to replace, and says
// the same; nil where none does.
func (s *Store) replacement(files map[string][]byte, f memory.Fact) *Standing {
	for name, content := range files {
		for _, b := range markdown.Parse(content).Blocks {
			for _, at := range b.Facts {
				if at.Supersedes == f.Supersedes && at.Live(s.Now()) && s.Same(at.Fact, f) {
					return &Standing{at.Fact, name, at.StartLine, at.EndLine}
				}
			}
		}
	}
	return nil
}

// superseding plans it: the note first, then the older fact in each file that
// holds it. Nothing comes back when none does.
func superseding(files map[string][]byte, e memory.Entry, day string) []memory.FileEdit {
	f := e.Facts[0]
	strike := func(content []byte) (after []byte, here bool) {
		for _, b := range markdown.Parse(content).Blocks {
			after = append(after, b.Revise(func(i int) (markdown.Revision, memory.Fact) {
				old := b.Facts[i].Fact
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
	today = slices.Concat(today, []byte(joint(today, day)), markdown.Format(e))
	return slices.Concat([]memory.FileEdit{{File: day, Before: files[day], After: today}}, edits)
}
