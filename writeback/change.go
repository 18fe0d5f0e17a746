package writeback

import (
	"context"
	"errors"
	"fmt"

	"agentflow/memory"
)

// Change is a set of edits of memory that is made completely or not at all.
type Change struct {
	Command string            // the command that makes it: "consolidate"
	Title   string            // describes the change in a few words, in case it is interrupted
	Edits   []memory.FileEdit // those that gain text before those that lose it
	// Forget lists the ids that the edits remove from memory. Each gets a tombstone, and its text
	// stays in the log for Restore.
	Forget []string
	// ForgetFiles lists the files that the edits remove and that Restore can bring back whole.
	ForgetFiles []string
	// By is the agent that makes the change; nil: a person, or a command of theirs. An agent cannot
	// remove a line that a person wrote in a file of notes.
	By *Author
	// If Kept is not nil, the change is kept for Undo, and Kept gets its id. It stays empty if the
	// change could not be kept.
	Kept *string

	// For a change that takes another back:
	undoes string   // id of that change
	source string   // see view.Lost; empty: the change itself
	back   []string // ids that are no longer forgotten
	lift   []string // hashes of tombstones to remove
}

// Snapshot returns the contents of every memory file, by its name relative to the memory folder. It
// first finishes pending records and logs hand edits. Errors match ErrLocked.
func (s *Store) Snapshot(ctx context.Context) (map[string][]byte, error) {
	return s.snapshot(ctx, func(string) bool { return true })
}

// snapshot is Snapshot for the wanted files only.
func (s *Store) snapshot(ctx context.Context, wanted func(file string) bool) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := s.edit(ctx, s.Command, func(w *writer) error {
		for _, name := range w.View.Files.Names() {
			if w.Untrusted(name) || !wanted(name) {
				continue
			}
			if content, there := w.View.Files.Find(name); there {
				files[name] = content
			}
		}
		return w.View.Files.Failed
	})
	if err != nil {
		return nil, fmt.Errorf("reading memory: %w", err)
	}
	return files, nil
}

// Apply makes a change. It first logs all of it, then changes file by file. If that is interrupted,
// the next command completes the change or, if a file was edited by hand in the meantime, takes it
// back. Recover reports which.
//
// The error matches ErrChanged if a file does not hold what the change expects; nothing is changed
// then. It matches ErrNotFound if an id to forget is not there, ErrLink if a link is on the way to
// a file, ErrByHand if a change by an agent removes a person's text, and ErrLocked.
func (s *Store) Apply(ctx context.Context, c Change) error {
	if len(c.Edits) == 0 && len(c.Forget) == 0 {
		return nil
	}
	err := s.edit(ctx, c.Command, func(w *writer) error { return w.changer.applyChange(ctx, c) })
	if err != nil {
		return fmt.Errorf("%s: %w", c.Command, err)
	}
	return nil
}

// maxPlans bounds how often a change is planned again because memory was edited in the meantime. It
// is high because a person waits for the change, and other writers are no reason to fail.
const maxPlans = 50

// Revise makes the change that plan returns for the current memory, and plans again if memory was
// edited in the meantime. Other processes can write while it plans. A plan without edits changes
// nothing. Errors are those of plan, Snapshot and Apply.
func (s *Store) Revise(ctx context.Context, plan func(files map[string][]byte) (Change, error)) error {
	return s.ReviseIn(ctx, func() func(string) bool { return func(string) bool { return true } }, plan)
}

// ReviseIn is Revise with a plan that gets only some files. It calls choose before each plan to
// find out which.
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

// ErrChanged reports that a file was edited after a change of it was planned.
var ErrChanged = errors.New("memory was edited meanwhile")
