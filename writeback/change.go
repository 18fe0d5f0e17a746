package writeback

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strings"

	"agentflow/internal/atomicfile"
	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/journal"
)

// Change is a set of edits of memory that is made whole or not at all.
type Change struct {
	Command string            // the command that makes it: "consolidate"
	Title   string            // that in a few words, for whoever finds it interrupted
	Edits   []memory.FileEdit // those that gain text before those that lose it
	// Forget are ids that leave memory by the edits: each gets a tombstone,
	// and its text stays in the log for Restore.
	Forget []string
	// ForgetFiles are files that the edits remove and Restore brings back whole.
	ForgetFiles []string
	// By is the agent that makes the change; nil: a person, or a command of theirs.
	// An agent takes away no line of a file of notes that a person wrote.
	By *Author
	// Kept says, where it is not nil, that Undo should be able to take the change
	// back, and gets its id; it stays empty where that cannot be.
	Kept *string

	// Of a change that takes another back:
	undoes string   // its id
	source string   // see lost.by; empty: the change itself
	back   []string // ids that are forgotten no more
	lift   []string // hashes of tombstones that go
}

// Snapshot is what every memory file holds, by its name relative to the
// memory folder, after pending records were finished and hand edits were
// logged. Errors match ErrLocked.
func (s *Store) Snapshot(ctx context.Context) (map[string][]byte, error) {
	var files map[string][]byte
	err := s.edit(ctx, s.Command, func(w *writer) error {
		files = maps.Clone(w.view.files)
		maps.DeleteFunc(files, func(name string, _ []byte) bool { return w.Untrusted(name) })
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading memory: %w", err)
	}
	return files, nil
}

// Apply makes a change: it is logged whole, then made file by file. When
// that is interrupted the next command makes the rest, or, where a file was
// edited by hand meanwhile, takes the change back; Recover says which. The
// error matches ErrChanged when a file does not hold what the change says, and
// nothing is changed then; ErrNotFound when an id to be forgotten is not
// there; ErrLink when a link stands on the way to a file; ErrByHand, of a change
// by an agent, when it takes away what a person wrote; ErrLocked.
func (s *Store) Apply(ctx context.Context, c Change) error {
	if len(c.Edits) == 0 && len(c.Forget) == 0 {
		return nil
	}
	err := s.edit(ctx, c.Command, func(w *writer) error { return w.applyChange(ctx, c) })
	if err != nil {
		return fmt.Errorf("%s: %w", c.Command, err)
	}
	return nil
}

// maxPlans bounds how often a change is planned because memory was edited
// meanwhile: a person waits for it, and writing by others is no reason to fail.
const maxPlans = 50

// Revise makes the change that plan makes of memory as it stands, and plans
// again where memory was edited meanwhile. Nobody is kept from writing while
// it plans. A plan without edits changes nothing. Errors are those of plan,
// Snapshot and Apply.
func (s *Store) Revise(ctx context.Context, plan func(files map[string][]byte) (Change, error)) error {
	for tries := 1; ; tries++ {
		files, err := s.Snapshot(ctx)
		if err != nil {
			return err
		}
		c, err := plan(files)
		if err != nil {
			return err
		}
		if err = s.Apply(ctx, c); !errors.Is(err, ErrChanged) || tries == maxPlans {
			return err
		}
	}
}

func (w *writer) applyChange(ctx context.Context, c Change) error {
	if err := w.admissible(c.Edits); err != nil {
		return err
	}
	if err := w.mayWrite(c); err != nil {
		return err
	}
	r, err := w.changeRecord(c)
	if err != nil {
		return err
	}
	if err := w.log(ctx, true, r); err != nil {
		return err
	}
	made, edited, err := w.makeChange(ctx, r)
	if err == nil && !made {
		err = fmt.Errorf("%w: %s", ErrChanged, edited)
	}
	if _, e := os.Stat(w.keptPath(r.ID)); err == nil && e == nil && c.Kept != nil {
		*c.Kept = r.ID
	}
	return err
}

// admissible checks that the edits name memory files, and fit what they hold.
func (w *writer) admissible(edits []memory.FileEdit) error {
	named := map[string]bool{}
	for _, e := range edits {
		local := filepath.FromSlash(e.File)
		if !filepath.IsLocal(local) || !strings.HasSuffix(e.File, ".md") || strings.HasPrefix(filepath.Base(local), ".") || named[e.File] {
			return fmt.Errorf("%q cannot be the name of a memory file, or stands twice", e.File)
		}
		named[e.File] = true
		if w.Untrusted(e.File) {
			return fmt.Errorf("%s cannot be changed: %w", e.File, ErrUntrusted)
		}
		if err := w.linkless(e.File); err != nil {
			return err
		}
		if err := w.inside(w.path(e.File)); err != nil {
			return err
		}
		if now, there := w.view.files[e.File]; there != (e.Before != nil) || !bytes.Equal(now, e.Before) {
			return fmt.Errorf("%w: %s", ErrChanged, e.File)
		}
	}
	return nil
}

// resolveChanges finishes the changes that were interrupted, before anybody
// takes a half of one for what somebody did by hand.
func (w *writer) resolveChanges(ctx context.Context) error {
	if w.view.firstChange() < 0 {
		return nil
	}
	if err := w.load(ctx); err != nil {
		return err
	}
	for at := w.view.firstChange(); at >= 0; at = w.view.firstChange() {
		r := w.view.pending[at].Record
		made, edited, err := w.makeChange(ctx, r)
		if err != nil {
			return fmt.Errorf("finishing a change of memory that was interrupted (%s): %w", r.Title, err)
		}
		w.report.Changes = append(w.report.Changes, Interrupted{Title: r.Title, Made: made, Edited: edited})
	}
	return nil
}

// makeChange brings the files of a logged change to what they are to hold,
// or, when edited was edited by hand, to what they held; it marks the change
// done either way.
func (w *writer) makeChange(ctx context.Context, r journal.Record) (made bool, edited string, err error) {
	c, err := changeOf(r)
	if err != nil {
		return false, "", err
	}
	for _, e := range c.Edits {
		if edited, err = w.step(e.File, w.view.files[e.File], e.After); err != nil {
			return false, "", err
		}
		if edited != "" {
			return false, edited, w.takeBack(ctx, r, c)
		}
	}
	saved := int64(0)
	for _, e := range c.Edits {
		w.seeAfter(e)
		saved = max(saved, w.seen.files[e.File].mtime)
	}
	if c.kept() {
		if err := w.keep(r, c); err != nil {
			w.degrade("a change of memory (" + r.Title + ") cannot be taken back later: " + err.Error())
		}
	}
	w.logDone(ctx, []journal.Record{{Op: journal.OpDone, Of: journal.OpChange, ID: r.ID, Stamp: saved}})
	return true, "", nil
}

// step makes one file hold after where it holds before. edited names it when
// it holds neither.
func (w *writer) step(name string, before, after []byte) (edited string, err error) {
	at := w.path(name)
	content, info, err := read(at)
	if err != nil {
		return "", err
	}
	there := info != nil
	switch {
	case there == (after != nil) && bytes.Equal(content, after):
		return "", nil
	case there != (before != nil) || !bytes.Equal(content, before):
		return name, nil
	}
	if err := w.linkless(name); err != nil {
		return "", err
	}
	made := true
	switch {
	case after == nil:
		if err = w.sys.Remove(at); err == nil {
			w.removeEmpty(name)
		}
	case before == nil:
		if err = w.sys.MkdirAll(filepath.Dir(at), 0o700); err == nil {
			err = atomicfile.WriteTo(w.sys, at, after, 0o600)
		}
	default:
		made, err = atomicfile.ReplaceIf(w.sys, at, before, after)
	}
	if err == nil && !made {
		return name, nil
	}
	return "", err
}

// removeEmpty takes away the folders below memory.NotesFolder that a file of a
// name was the last in: there a folder is where a file is.
func (w *writer) removeEmpty(name string) {
	for dir := path.Dir(name); memory.InNotes(dir); dir = path.Dir(dir) {
		if w.sys.Remove(w.path(dir)) != nil {
			return // something else is in it
		}
	}
}

// takeBack gives the files that were changed already their former contents.
// Edits that people made of the others stay; entries and facts that then stand
// nowhere are logged as vanished, so that it is named and can be restored.
func (w *writer) takeBack(ctx context.Context, r journal.Record, c change) error {
	for _, e := range c.Edits {
		if _, err := w.step(e.File, e.After, w.view.files[e.File]); err != nil {
			return err
		}
	}
	if err := unlessMissing(w.sys.Remove(w.keptPath(r.ID))); err != nil {
		return err
	}
	lost, err := w.lostBy(c)
	if err != nil {
		return err
	}
	return w.log(ctx, true, append(lost, journal.Record{Op: journal.OpDone, Of: journal.OpChange, ID: r.ID, Kept: true})...)
}

// lostBy finds the ids of the files of a change that stand in no file any
// more.
func (w *writer) lostBy(c change) ([]journal.Record, error) {
	now := map[string]bool{}
	add := func(content []byte) {
		for _, id := range markdown.Parse(content).IDs() {
			now[id] = true
		}
	}
	ours := map[string]bool{}
	for _, e := range c.Edits {
		ours[e.File] = true
		content, _, err := read(w.path(e.File))
		if err != nil {
			return nil, err
		}
		add(content)
	}
	for name, content := range w.view.files {
		if !ours[name] {
			add(content)
		}
	}
	var lost []journal.Record
	for _, e := range c.Edits {
		before := w.view.files[e.File]
		for _, id := range markdown.Parse(before).IDs() {
			if !now[id] {
				now[id] = true
				_, taken, _ := cut(before, id)
				lost = append(lost, journal.Record{Op: journal.OpLost, ID: id, File: e.File, Title: taken.Title, Text: taken.text})
			}
		}
	}
	return lost, nil
}

// linkless is an error that matches ErrLink where something that is no folder
// stands on the way to a memory file, or something that is no file in its
// place: nothing that is behind a link is a file of memory.
func (s *Store) linkless(name string) error {
	for at := name; at != "."; at = path.Dir(at) {
		info, err := os.Lstat(s.path(at))
		if err == nil && (at == name && !info.Mode().IsRegular() || at != name && !info.IsDir()) {
			return fmt.Errorf("%s: %w", at, ErrLink)
		}
	}
	return nil
}

// ErrLink is matched when a link, or something else that is no memory file,
// stands where a change has to write.
var ErrLink = errors.New("it is a link, or no file of memory")

// ErrChanged is matched when a file was edited after a change of it was
// planned.
var ErrChanged = errors.New("memory was edited meanwhile")

// Interrupted is a change that an earlier command began and could not end.
type Interrupted struct {
	Title  string // of the Change
	Made   bool   // now all of it is made; else none of it is
	Edited string // the file whose edit by hand it gave way to
}

// String says it in a line.
func (i Interrupted) String() string {
	if i.Made {
		return "completed a change of memory that was interrupted (" + i.Title + ")"
	}
	return "took back a change of memory that was interrupted (" + i.Title + "), as " + i.Edited + " was edited meanwhile"
}

// seeAfter takes the file as it is after a step for seen.
func (w *writer) seeAfter(e changedFile) {
	if e.After == nil {
		delete(w.seen.files, e.File)
		w.dirty = true
		return
	}
	info, err := os.Stat(w.path(e.File))
	if err == nil && info.Size() == int64(len(e.After)) {
		w.see(e.File, stampOf(info, e.After))
	}
}
