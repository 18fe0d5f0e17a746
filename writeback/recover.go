package writeback

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"agentflow/internal/atomicfile"
	"agentflow/internal/filelock"
	"agentflow/writeback/internal/journal"
)

// Report says what Recover found and did.
type Report struct {
	Finished []Ref         // entries that were in the log only
	Restored []string      // files of a folder that had vanished, relative to it
	Vanished []Ref         // entries gone from Markdown without forget
	Changes  []Interrupted // changes that an earlier command began and could not end
	Degraded []string      // failures by which nothing was lost, a line each

	repeated map[string]Standing // repeated holds, by the id of a note that was not written, the fact that says the same already
}

// recoverWait bounds how long a command waits to tidy up after others:
// whoever holds the lock for long finishes the log itself.
const recoverWait = 2 * time.Second

// Recover finishes what the log holds and Markdown does not, restores a
// vanished memory folder, and takes hand edits up into the log. When there is
// nothing to do it takes no lock and reads no Markdown: one stat a file.
func (s *Store) Recover(ctx context.Context) (Report, error) {
	if gone, ok := s.nothingToDo(); ok {
		return Report{Vanished: gone}, nil
	}
	return unchecked(s.tidy(ctx, min(s.LockWait, recoverWait)))
}

// tidy is Recover under the lock, for which it waits up to wait.
func (s *Store) tidy(ctx context.Context, wait time.Duration) (Report, error) {
	w, err := s.begin(ctx, s.Command, wait)
	if err != nil {
		return Report{}, fmt.Errorf("recovering memory: %w", err)
	}
	err = errors.Join(w.scan(ctx), w.finish(ctx))
	w.sweep()
	err = errors.Join(err, w.end(ctx))
	w.report.Vanished = w.gone()
	if err != nil {
		return *w.report, fmt.Errorf("recovering memory: %w", err)
	}
	return *w.report, nil
}

// unchecked makes a degradation of the error that somebody else kept the lock.
func unchecked(r Report, err error) (Report, error) {
	var held *filelock.HeldError
	if errors.As(err, &held) {
		return Report{Degraded: []string{"memory was not checked for interrupted writes and hand edits: " + held.Error()}}, nil
	}
	return r, err
}

func (w *writer) gone() []Ref {
	if w.full {
		return w.view.vanished()
	}
	return w.seen.gone
}

// Vanished names the entries that are gone from Markdown without forget,
// as of the last Recover.
func (s *Store) Vanished(ctx context.Context) ([]Ref, error) {
	report, err := s.Recover(ctx)
	return report.Vanished, err
}

// nothingToDo compares stats with those that were last seen.
func (s *Store) nothingToDo() (gone []Ref, ok bool) {
	files, err := s.list()
	if err != nil || s.fallbackLogged() {
		return nil, false
	}
	end, err := s.main.End()
	if err != nil {
		return nil, false
	}
	last := loadSeen(s.State)
	if last == nil {
		return nil, len(files) == 0 && end == journal.Position{} && !s.checkpointed()
	}
	if last.pos != end || len(files) != s.seenOf(last) || dirChanged(last, s.Memory) {
		return nil, false
	}
	for name, info := range files {
		stamp, ok := last.files[name]
		if !ok || !stamp.matches(info) {
			return nil, false
		}
		if last.racy(info) && !s.same(name, stamp) {
			return nil, false
		}
	}
	return last.gone, true
}

func (s *Store) same(name string, last stamp) bool {
	if last.sum == tooLarge {
		return true // its stamp matches, and nobody reads it
	}
	content, info, err := read(s.path(name))
	return err == nil && info != nil && stampOf(info, content).sum == last.sum
}

func (s *Store) checkpointed() bool {
	_, err := os.Stat(s.main.Checkpoint())
	return err == nil
}

// restoreFiles writes files back as the log last knew them.
func (w *writer) restoreFiles(names []string) error {
	if err := w.Prepare(); err != nil {
		return err
	}
	dirs := map[string]bool{}
	for _, name := range names {
		content, ok := w.view.files.find(name)
		if !ok {
			delete(w.seen.files, name)
			continue
		}
		path := w.path(name)
		if err := w.inside(path); err != nil {
			return err
		}
		if err := w.sys.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return fmt.Errorf("restoring %s: %w", name, err)
		}
		if err := atomicfile.WriteTo(oneSync{w.sys}, path, content, 0o600); err != nil {
			return fmt.Errorf("restoring: %w", err)
		}
		dirs[filepath.Dir(path)] = true
		if info, err := os.Stat(path); err == nil {
			w.see(name, stampOf(info, content))
		}
		w.report.Restored = append(w.report.Restored, name)
	}
	for dir := range dirs {
		if err := w.sys.SyncDir(dir); err != nil {
			return fmt.Errorf("restoring memory: %w", err)
		}
	}
	w.seen.dir, w.dirty = 0, true // the folder as it is now, from here on
	return nil
}

// oneSync leaves the syncing of folders to the end of many writes.
type oneSync struct{ journal.System }

func (oneSync) SyncDir(string) error { return nil }

// recoverSwaps gives back what an editor saved while a command that replaced the
// file was killed.
func (w *writer) recoverSwaps() {
	for _, dir := range w.folders() {
		if err := atomicfile.RecoverSwaps(w.sys, dir); err != nil {
			w.degrade(err.Error())
		}
	}
}

// tidyUp removes what a killed command left beside the files that it was
// writing. Whoever finishes what that command began does it too: afterwards
// nobody sees that there was anything to finish.
func (w *writer) tidyUp() {
	w.recoverSwaps()
	w.sweep()
}

// sweep removes temporary files that a crash left. The lock keeps writers of memory from
// their own; a copy of the settings is written without it, and renamed meanwhile.
func (w *writer) sweep() {
	for _, dir := range append(w.folders(), w.State, w.keptFolder()) {
		names, _ := filepath.Glob(filepath.Join(dir, ".*.tmp"))
		for _, name := range names {
			if err := w.sys.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				w.degrade(err.Error())
			}
		}
	}
}

// folders are the memory folder and those below it, but for hidden ones and
// links. One that cannot be read is named when its files are listed.
func (w *writer) folders() []string {
	list := []string{w.Memory}
	for i := 0; i < len(list); i++ {
		items, _ := os.ReadDir(list[i])
		for _, item := range items {
			if item.IsDir() && !strings.HasPrefix(item.Name(), ".") {
				list = append(list, filepath.Join(list[i], item.Name()))
			}
		}
	}
	return list
}
