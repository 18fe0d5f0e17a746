package writeback

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"agentflow/memory"
	"agentflow/memory/digest"
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/journal"
)

// Meta records where a note was made. Any field may be empty.
type Meta struct {
	Branch, Worktree, Base string
	Undo                   bool // Undo can take the note back
}

// Standing is a fact with its place in the memory files.
type Standing struct {
	memory.Fact
	File               string // relative to the memory folder
	StartLine, EndLine int
}

// Remembered is the outcome of a fact given to Remember.
type Remembered struct {
	Entry    memory.Entry // the note
	File     string       // its Markdown file, absolute
	Existing *Standing    // the fact, valid now, that says the same; the note was not written then. Nil: it was
	Struck   bool         // Existing now replaces another fact
}

// Remember records one fact as a note, unless memory says it already. It looks that up under the
// lock, so that only one of two processes that remember the same fact at the same time writes it.
// It fills in f.ID and f.Source if they are empty. Errors are those of Record.
func (s *Store) Remember(ctx context.Context, f memory.Fact, now time.Time, meta Meta) (Remembered, error) {
	e, err := s.note(f, now, meta)
	if err != nil {
		return Remembered{}, err
	}
	path, report, err := s.record(ctx, e, meta.Undo)
	done := Remembered{Entry: e, File: path}
	if repeated, ok := report.repeated[e.ID]; ok {
		done.Existing = &repeated
	}
	return done, err
}

// repeats reports whether r is a note that repeats a fact in Markdown or one before it in the same
// batch. A note that was written, but not yet marked done, does not repeat itself.
func (w *writer) repeats(ctx context.Context, r journal.Record, before []journal.Record) (bool, error) {
	f, ok := factOfNote(r)
	if !ok {
		return false, nil
	}
	files, err := w.list()
	if err != nil {
		return false, err
	}
	may := w.Holding(ctx, digest.ByGist(f.Gist()))
	for name := range files {
		if name == memory.FeedbackFile || !may(name) {
			continue
		}
		if content, _, err := read(w.path(name)); err == nil && w.sameFact(name, content, f, r.ID) { // a file that cannot be read is reported when it is settled
			return true, nil
		}
	}
	for _, other := range before {
		if w.sameFact(other.File, other.Text, f, r.ID) {
			return true, nil
		}
	}
	return false, nil
}

// finishedByOthers finds the outcome of a note that another process took from the log while this
// one waited for the lock.
func (w *writer) finishedByOthers(ctx context.Context, r journal.Record) error {
	_, note := factOfNote(r)
	ours := slices.ContainsFunc(w.report.Finished, func(ref Ref) bool { return ref.ID == r.ID })
	if _, repeated := w.report.repeated[r.ID]; !note || repeated || ours || w.view.find(r.Op, r.ID) >= 0 {
		return nil
	}
	if err := w.load(ctx); err != nil || holds(w.view.files.get(r.File), r.ID) {
		return err
	}
	_, err := w.repeats(ctx, r, nil)
	return err
}

func factOfNote(r journal.Record) (memory.Fact, bool) {
	if r.Op != journal.OpEntry || !bytes.Contains(r.Text, []byte("kind="+string(memory.KindNote))) && !markdown.IsNote(r.Text) {
		return memory.Fact{}, false
	}
	entries := markdown.Parse(r.Text).Entries()
	if len(entries) != 1 || entries[0].Kind != memory.KindNote || len(entries[0].Facts) != 1 {
		return memory.Fact{}, false
	}
	return entries[0].Facts[0], true
}

// sameFact looks in a file, or a part of one, for another valid fact that says the same as f, and
// records it as the reason why note is not written.
func (w *writer) sameFact(name string, content []byte, f memory.Fact, note string) bool {
	for _, at := range markdown.Parse(content).Facts() {
		if at.ID == "" || at.ID == f.ID || !at.Live(w.Now()) || !w.Same(at.Fact, f) {
			continue
		}
		if w.report.repeated == nil {
			w.report.repeated = map[string]Standing{}
		}
		w.report.repeated[note] = Standing{at.Fact, name, at.StartLine, at.EndLine}
		return true
	}
	return false
}

func (s *Store) note(f memory.Fact, now time.Time, meta Meta) (memory.Entry, error) {
	id, err := memory.NewID(now, s.Rand)
	if err == nil && f.ID == "" {
		f.ID, err = memory.NewID(now, s.Rand)
	}
	if err != nil {
		return memory.Entry{}, fmt.Errorf("remembering: %w", err)
	}
	if f.Source == "" {
		f.Source = memory.ByHand
	}
	return memory.Entry{
		ID: id, Kind: memory.KindNote, Time: now.Truncate(time.Second),
		Branch: meta.Branch, Worktree: meta.Worktree, Base: meta.Base, Facts: []memory.Fact{f},
	}, nil
}

// Supersede records a note as Remember does, and in the same change strikes the fact f.Supersedes
// wherever it is, with a pointer to the new one. It plans again if files were edited in the
// meantime. If several callers replace a fact by the same words at the same time, one of them
// writes, and the others get the fact it wrote. If another fact already says the same, that fact
// becomes the replacement. The error matches ErrNotFound if there is no fact with the id
// f.Supersedes, or ErrLocked. After an error nothing is written, unless Recover finishes the change
// and reports it.
func (s *Store) Supersede(ctx context.Context, f memory.Fact, now time.Time, meta Meta) (Remembered, error) {
	e, err := s.note(f, now, meta)
	if err != nil {
		return Remembered{}, err
	}
	done := Remembered{Entry: e, File: filepath.Join(s.Memory, s.dayFile(e.Time))}
	var undo *string
	if meta.Undo {
		undo = new(string)
	}
	err = s.Revise(ctx, func(files map[string][]byte) (Change, error) {
		if done.Existing = s.replacement(files, f); done.Existing != nil {
			return Change{}, nil
		}
		if done.Existing = s.sayer(files, f); done.Existing != nil {
			done.Struck = true
			return Change{Command: rememberCommand, Title: rememberTitle(done.Existing.ID), Edits: yielding(files, f.Supersedes, done.Existing.ID), Kept: undo}, nil
		}
		c := Change{Command: rememberCommand, Title: rememberTitle(e.Facts[0].ID), Edits: superseding(files, e, s.dayFile(e.Time)), Kept: undo}
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
func (s *Store) sayer(files map[string][]byte, f memory.Fact) (says *Standing) {
	if f.ByTool() {
		return nil
	}
	there := false
	for _, name := range slices.Sorted(maps.Keys(files)) {
		for _, at := range markdown.Parse(files[name]).Facts() {
			there = there || at.ID == f.Supersedes
			if says == nil && at.ID != "" && at.ID != f.Supersedes && at.Supersedes == "" && at.Live(s.Now()) && s.Same(at.Fact, f) {
				says = &Standing{at.Fact, name, at.StartLine, at.EndLine}
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
func (s *Store) replacement(files map[string][]byte, f memory.Fact) *Standing {
	for name, content := range files {
		for _, at := range markdown.Parse(content).Facts() {
			if at.Supersedes == f.Supersedes && at.Live(s.Now()) && s.Same(at.Fact, f) {
				return &Standing{at.Fact, name, at.StartLine, at.EndLine}
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
		today = slices.Concat(today, []byte(separator(today, day, note)), note)
	}
	return slices.Concat([]memory.FileEdit{{File: day, Before: files[day], After: today}}, edits)
}
