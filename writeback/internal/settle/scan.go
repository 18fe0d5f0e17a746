package settle

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"agentflow/internal/atomicfile"
	"agentflow/writeback/internal/folder"
	"agentflow/writeback/internal/journal"
	"agentflow/writeback/internal/seen"
	"agentflow/writeback/internal/turn"
)

// MeetFolder looks at all files if the memory folder is not the one that was last seen.
func (w Settler) MeetFolder(ctx context.Context) error {
	if w.Seen.Dir == 0 || seen.DirChanged(w.Seen, w.Memory) {
		return w.Scan(ctx)
	}
	return nil
}

// Scan settles every file of the memory folder. A folder that vanished, or was created again since
// it was last seen, gets all its files back. Single missing files were deleted by hand.
func (w Settler) Scan(ctx context.Context) error {
	if w.Scanned {
		return nil
	}
	w.Scanned = true
	w.RecoverSwaps()
	files, err := w.Folder.List()
	if err != nil {
		return err
	}
	for name, info := range files {
		s, ok := w.Seen.Files[name]
		if ok && s.Matches(info) && !w.Seen.Racy(info) {
			continue
		}
		if info.Size() > w.MostTaken {
			w.skipLarge(name, info, ok && s.Matches(info))
			continue
		}
		if err := w.settleFile(ctx, name); err != nil {
			return err
		}
	}
	return w.scanMissing(ctx, files)
}

// skipLarge leaves a file out of the log that is too large for it. The log keeps its last copy.
func (w Settler) skipLarge(name string, info fs.FileInfo, reported bool) {
	if !reported {
		w.Degrade(fmt.Sprintf("%s has %d MB, more than %d: the log keeps no copy of it, so that it cannot be restored", name, info.Size()>>20, w.MostTaken>>20))
	}
	w.See(name, seen.Stamp{Size: info.Size(), Mtime: info.ModTime().UnixNano(), Inode: seen.InodeOf(info), Sum: seen.TooLarge})
}

// settleFile settles one file, and tries again while editors replace it.
func (w Settler) settleFile(ctx context.Context, name string) error {
	for range turn.MaxTries {
		content, info, err := folder.Read(w.Folder.Path(name))
		if err == nil && info == nil {
			err = errors.New(name + " is gone")
		}
		if err != nil {
			w.Degrade("a memory file could not be read; the next command looks for edits in it: " + err.Error())
			return nil
		}
		if _, _, err = w.Settle(ctx, name, content, info, w.View.BatchFor(name)); !errors.Is(err, ErrReread) {
			return err
		}
	}
	return turn.ErrReplaced
}

func (w Settler) scanMissing(ctx context.Context, files map[string]fs.FileInfo) error {
	var gone []string
	for name := range w.Seen.Files {
		if _, ok := files[name]; !ok && !w.Untrusted(name) {
			gone = append(gone, name)
		}
	}
	if w.Full {
		for _, name := range w.View.Files.Names() {
			if _, ok := files[name]; !ok && !w.Untrusted(name) && !slices.Contains(gone, name) {
				gone = append(gone, name)
			}
		}
	}
	if len(gone) == 0 {
		return nil
	}
	slices.Sort(gone)
	if err := w.Load(ctx); err != nil {
		return err
	}
	if len(files) == 0 || seen.DirChanged(w.Seen, w.Memory) {
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
func (w Settler) restoreFiles(names []string) error {
	if err := w.Folder.Prepare(); err != nil {
		return err
	}
	dirs := map[string]bool{}
	for _, name := range names {
		content, ok := w.View.Files.Find(name)
		if !ok {
			delete(w.Seen.Files, name)
			continue
		}
		path := w.Folder.Path(name)
		if err := w.Folder.Inside(path); err != nil {
			return err
		}
		if err := w.Sys.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return fmt.Errorf("restoring %s: %w", name, err)
		}
		if err := atomicfile.WriteTo(oneSync{w.Sys}, path, content, 0o600); err != nil {
			return fmt.Errorf("restoring: %w", err)
		}
		dirs[filepath.Dir(path)] = true
		if info, err := os.Stat(path); err == nil {
			w.See(name, seen.StampOf(info, content))
		}
		w.Report.Restored = append(w.Report.Restored, name)
	}
	for dir := range dirs {
		if err := w.Sys.SyncDir(dir); err != nil {
			return fmt.Errorf("restoring memory: %w", err)
		}
	}
	w.Seen.Dir, w.Dirty = 0, true // from here on, the folder as it is now
	return nil
}

// oneSync postpones the syncing of folders to the end of many writes.
type oneSync struct{ journal.System }

func (oneSync) SyncDir(string) error { return nil }
