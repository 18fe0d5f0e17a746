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

// Report lists the findings and repairs of Recover.
type Report struct {
	Finished []Ref         // entries that were only in the log
	Restored []string      // files of a folder that had vanished, relative to that folder
	Vanished []Ref         // entries that disappeared from Markdown without forget
	Changes  []Interrupted // changes that an earlier command began and could not finish
	Degraded []string      // failures that lost nothing, one per line

	repeated map[string]Standing // maps the id of a note that was not written to the fact that says the same already
}

// recoverWait bounds how long a command waits to tidy up after others. A process that holds the
// lock for longer finishes the log itself.
const recoverWait = 2 * time.Second

// Recover finishes the records that are in the log and not in Markdown, restores a vanished memory
// folder, and logs hand edits. If there is nothing to do, it takes no lock and reads no Markdown:
// it costs one stat per file.
func (s *Store) Recover(ctx context.Context) (Report, error) {
	if gone, ok := s.nothingToDo(); ok {
		return Report{Vanished: gone}, nil
	}
	return unchecked(s.tidy(ctx, min(s.LockWait, recoverWait)))
}

// tidy is Recover under the lock, which it waits for up to wait.
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

// unchecked turns the error that another process kept the lock into a degradation.
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

// Vanished runs Recover and names the entries that disappeared from Markdown without forget.
func (s *Store) Vanished(ctx context.Context) ([]Ref, error) {
	report, err := s.Recover(ctx)
	return report.Vanished, err
}

// nothingToDo compares the stats of the files with those last seen.
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
		return true // its stamp matches, and its contents are never read
	}
	content, info, err := read(s.path(name))
	return err == nil && info != nil && stampOf(info, content).sum == last.sum
}

func (s *Store) checkpointed() bool {
	_, err := os.Stat(s.main.Checkpoint())
	return err == nil
}

// restoreFiles writes files back with the contents that the log last recorded.
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
	w.seen.dir, w.dirty = 0, true // from here on, the folder as it is now
	return nil
}

// oneSync postpones the syncing of folders to the end of many writes.
type oneSync struct{ journal.System }

func (oneSync) SyncDir(string) error { return nil }

// recoverSwaps restores a file that an editor saved while a command that was replacing it was
// killed.
func (w *writer) recoverSwaps() {
	for _, dir := range w.folders() {
		if err := atomicfile.RecoverSwaps(w.sys, dir); err != nil {
			w.degrade(err.Error())
		}
	}
}

// tidyUp removes the leftovers of a killed command next to the files that it was writing. A command
// that finishes a pending record must do it too, because afterwards no trace shows that there was
// anything to finish.
func (w *writer) tidyUp() {
	w.recoverSwaps()
	w.sweep()
}

// sweep removes temporary files that a crash left. The lock keeps it from removing those of active
// writers of memory. A copy of the settings is written without the lock, and renamed soon after.
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

// folders returns the memory folder and those below it, except hidden ones and links. A folder that
// cannot be read is reported when its files are listed.
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
