package settle

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agentflow/app"
	"agentflow/internal/safefile"
	"agentflow/internal/transfer"
	"agentflow/memory"
	"agentflow/writeback"
)

// KeepOne makes all work trees of the repository use one memory. It notes the main work
// tree if git does not, and takes in memory that earlier versions wrote elsewhere.
func KeepOne(ctx context.Context, s *app.Repo) {
	if err := s.Note(); err != nil {
		s.Degraded("recover", []string{err.Error()})
	}
	for _, folder := range s.Strays() {
		if err := joinStray(ctx, s, folder); err != nil {
			s.Degraded("recover", []string{fmt.Sprintf("taking in the memory in %s: %v", folder, err)})
		}
	}
}

// joinStray takes the memory of a .agentflow folder into this one as a single change, and
// then removes the files it read there. Items that were forgotten here do not come back.
func joinStray(ctx context.Context, s *app.Repo, folder string) error {
	stray := filepath.Join(folder, "memory")
	if info, err := os.Lstat(stray); err != nil || !info.IsDir() || safefile.LeadsOutside(stray, filepath.Dir(folder)) {
		return nil
	}
	files, err := readStray(stray)
	if err != nil {
		return err
	}
	report, undo, err := join(ctx, s, files)
	if err != nil {
		return err
	}
	if n := len(report.Problems); n > 0 {
		return fmt.Errorf("%s, which stays there", report.Problems[0])
	}
	if len(report.Added) > 0 {
		s.Say("took %s from %s into %s; 'agentflow memory undo %s' takes that back", transfer.CountAdded(report.Added), folder, s.Memory(), memory.ShortID(undo))
	}
	return removeStray(s, folder, files)
}

// join adds the contents of another folder's files to memory.
func join(ctx context.Context, s *app.Repo, files map[string][]byte) (report transfer.Report, undo string, err error) {
	err = s.Store.Revise(ctx, func(mine map[string][]byte) (c writeback.Change, err error) {
		barred, err := s.Store.Barred(ctx)
		if err != nil {
			return c, err
		}
		c.Edits, report = transfer.Join(mine, files, barred)
		c.Command, c.Title, c.Kept = "join", "join of "+transfer.CountAdded(report.Added), &undo
		return c, nil
	})
	return report, undo, err
}

// maxStray limits one file, in bytes.
const maxStray = 64 << 20

// readStray reads the Markdown files of a memory folder by name, as the store lists them.
func readStray(folder string) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path != folder && strings.HasPrefix(d.Name(), ".") && d.IsDir():
			return filepath.SkipDir
		case !d.Type().IsRegular() || strings.HasPrefix(d.Name(), ".") || !strings.HasSuffix(d.Name(), ".md"):
			return nil
		}
		name, err := filepath.Rel(folder, path)
		if err == nil {
			files[filepath.ToSlash(name)], err = safefile.Read(path, safefile.NoLink, maxStray)
		}
		return err
	})
	return files, err
}

// removeStray removes the files that were taken in, their index, and the
// emptied folders. Their settings move here if there are none here.
func removeStray(s *app.Repo, folder string, files map[string][]byte) error {
	stray := filepath.Join(folder, "memory")
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(stray, filepath.FromSlash(name))
		if now, err := safefile.Read(path, safefile.NoLink, maxStray); err != nil || !bytes.Equal(now, files[name]) {
			continue // the next command takes in text that was written meanwhile
		}
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	settings := filepath.Join(folder, filepath.Base(s.ConfigFile()))
	if _, err := os.Lstat(s.ConfigFile()); os.IsNotExist(err) {
		_ = os.Rename(settings, s.ConfigFile()) // there may be none
	}
	if !removeEmpty(stray) {
		return nil
	}
	if err := os.RemoveAll(filepath.Join(folder, "state")); err != nil {
		return err
	}
	if items, err := os.ReadDir(folder); err == nil && len(items) == 1 && items[0].Name() == ".gitignore" {
		return os.RemoveAll(folder)
	}
	return nil
}

// removeEmpty removes a folder and its subfolders as far as they have no files. It
// reports whether the folder was removed.
func removeEmpty(folder string) bool {
	items, _ := os.ReadDir(folder)
	for _, item := range items {
		if item.IsDir() {
			removeEmpty(filepath.Join(folder, item.Name()))
		}
	}
	return os.Remove(folder) == nil
}
