package writeback

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"agentflow/memory"
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
	return s.snapshot(ctx, func(string) bool { return true })
}

// snapshot is Snapshot of the files that are wanted.
func (s *Store) snapshot(ctx context.Context, wanted func(file string) bool) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := s.edit(ctx, s.Command, func(w *writer) error {
		for _, name := range w.view.files.names() {
			if w.Untrusted(name) || !wanted(name) {
				continue
			}
			if content, there := w.view.files.find(name); there {
				files[name] = content
			}
		}
		return w.view.files.failed
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
	return s.ReviseIn(ctx, func() func(string) bool { return func(string) bool { return true } }, plan)
}

// ReviseIn is Revise with a plan that gets some files alone. Each time that it is
// planned, choose is asked which are wanted.
func (s *Store) ReviseIn(ctx context.Context, choose func() (wanted func(file string) bool), plan func(files map[string][]byte) (Change, error)) error {
	for tries := 1; ; tries++ {
		files, err := s.snapshot(ctx, choose())
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
	r, err := w.changeRecord(ctx, c)
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
		if err := w.readable(e.File); err != nil {
			return err
		}
		if now, there := w.view.files.find(e.File); there != (e.Before != nil) || !bytes.Equal(now, e.Before) {
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
		if err != nil && w.view.find(r.Op, r.ID) >= 0 {
			return fmt.Errorf("finishing a change of memory that was interrupted (%s): %w", r.Title, err)
		}
		if err != nil {
			w.degrade(err.Error())
		}
		w.report.Changes = append(w.report.Changes, Interrupted{Title: r.Title, Made: made, Edited: edited})
	}
	return nil
}

// ErrChanged is matched when a file was edited after a change of it was
// planned.
var ErrChanged = errors.New("memory was edited meanwhile")
