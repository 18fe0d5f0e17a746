package writeback

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"agentflow/internal/atomicfile"
	"agentflow/writeback/internal/journal"
)

// meetFolder looks at all files if the memory folder is not the one that was last seen.
func (w settler) meetFolder(ctx context.Context) error {
	if w.seen.dir == 0 || dirChanged(w.seen, w.Memory) {
		return w.scan(ctx)
	}
	return nil
}

// scan settles every file of the memory folder. A folder that vanished, or was created again since
// it was last seen, gets all its files back. Single missing files were deleted by hand.
func (w settler) scan(ctx context.Context) error {
	if w.scanned {
		return nil
	}
	w.scanned = true
	w.recoverSwaps()
	files, err := w.folder.list()
	if err != nil {
		return err
	}
	for name, info := range files {
		s, ok := w.seen.files[name]
		if ok && s.matches(info) && !w.seen.racy(info) {
			continue
		}
		if info.Size() > w.mostTaken {
			w.skipLarge(name, info, ok && s.matches(info))
			continue
		}
		if err := w.settleFile(ctx, name); err != nil {
			return err
		}
	}
	return w.scanMissing(ctx, files)
}

// skipLarge leaves a file out of the log that is too large for it. The log keeps its last copy.
func (w settler) skipLarge(name string, info fs.FileInfo, reported bool) {
	if !reported {
		w.degrade(fmt.Sprintf("%s has %d MB, more than %d: the log keeps no copy of it, so that it cannot be restored", name, info.Size()>>20, w.mostTaken>>20))
	}
	w.see(name, stamp{info.Size(), info.ModTime().UnixNano(), inodeOf(info), tooLarge})
}

// settleFile settles one file, and tries again while editors replace it.
func (w settler) settleFile(ctx context.Context, name string) error {
	for range maxTries {
		content, info, err := read(w.folder.path(name))
		if err == nil && info == nil {
			err = errors.New(name + " is gone")
		}
		if err != nil {
			w.degrade("a memory file could not be read; the next command looks for edits in it: " + err.Error())
			return nil
		}
		if _, _, err = w.settle(ctx, name, content, info, w.view.batchFor(name)); !errors.Is(err, errReread) {
			return err
		}
	}
	return errReplaced
}

func (w settler) scanMissing(ctx context.Context, files map[string]fs.FileInfo) error {
	var gone []string
	for name := range w.seen.files {
		if _, ok := files[name]; !ok && !w.Untrusted(name) {
			gone = append(gone, name)
		}
	}
	if w.full {
		for _, name := range w.view.files.names() {
			if _, ok := files[name]; !ok && !w.Untrusted(name) && !slices.Contains(gone, name) {
				gone = append(gone, name)
			}
		}
	}
	if len(gone) == 0 {
		return nil
	}
	slices.Sort(gone)
	if err := w.load(ctx); err != nil {
		return err
	}
	if len(files) == 0 || dirChanged(w.seen, w.Memory) {
		return w.restoreFiles(gone)
	}
	for _, name := range gone {
		if err := w.logDeletedFile(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// restoreFiles writes files back with the contents that the log last recorded.
func (w settler) restoreFiles(names []string) error {
	if err := w.folder.Prepare(); err != nil {
		return err
	}
	dirs := map[string]bool{}
	for _, name := range names {
		content, ok := w.view.files.find(name)
		if !ok {
			delete(w.seen.files, name)
			continue
		}
		path := w.folder.path(name)
		if err := w.folder.inside(path); err != nil {
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
