package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"agentflow/internal/safefile"
	"agentflow/memory"
	"agentflow/writeback/internal/seen"
)

// Path returns the path of a memory file.
func (d Folder) Path(name string) string { return filepath.Join(d.Memory, filepath.FromSlash(name)) }

// DayFile returns the file for an entry of time t: the file of its day, or another one of that day
// if the file came with the repository.
func (d Folder) DayFile(t time.Time) string {
	name := memory.DayFile(t)
	for n := 2; d.Untrusted(name) && n < 100; n++ {
		name = fmt.Sprintf("%s-%d.md", strings.TrimSuffix(memory.DayFile(t), ".md"), n)
	}
	return name
}

// List stats every Markdown file of ours in the memory folder, by name relative to it. It does not
// follow folders that lead elsewhere, and skips symlinks and hidden names.
func (d Folder) List() (map[string]fs.FileInfo, error) {
	files := map[string]fs.FileInfo{}
	err := d.Inside(d.Memory)
	if err == nil || safefile.IsAbsent(err) {
		err = d.listInto(files, "")
	}
	if err != nil {
		return files, fmt.Errorf("listing memory: %w", err)
	}
	return files, nil
}

func (d Folder) listInto(files map[string]fs.FileInfo, under string) error {
	folder, err := safefile.OpenFolder(d.Path(under))
	if safefile.IsAbsent(err) {
		return nil
	}
	if err != nil {
		return err
	}
	items, err := folder.ReadDir(-1)
	if err = errors.Join(err, folder.Close()); err != nil {
		return err
	}
	for _, item := range items {
		name := path.Join(under, item.Name())
		switch {
		case strings.HasPrefix(item.Name(), "."):
		case item.IsDir():
			if err := d.listInto(files, name); err != nil {
				return err
			}
		case item.Type().IsRegular() && strings.HasSuffix(name, ".md") && !d.Untrusted(name):
			info, err := item.Info()
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return err
			}
			files[name] = info
		}
	}
	return nil
}

// Folders returns the memory folder and those below it, except hidden ones and links. A folder that
// cannot be read is reported when its files are listed.
func (d Folder) Folders() []string {
	list := []string{d.Memory}
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

// SeenOf returns the number of seen files, without those that the repository brings now.
func (d Folder) SeenOf(last *seen.Seen) int {
	n := 0
	for name := range last.Files {
		if !d.Untrusted(name) {
			n++
		}
	}
	return n
}

// Unchanged reports whether a memory file, whose stamp matches, still has the contents that were last seen.
func (d Folder) Unchanged(name string, last seen.Stamp) bool {
	if last.Sum == seen.TooLarge {
		return true // its stamp matches, and its contents are never read
	}
	content, info, err := Read(d.Path(name))
	return err == nil && info != nil && seen.StampOf(info, content).Sum == last.Sum
}
