package writeback

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"agentflow/internal/safefile"
	"agentflow/memory"
	"agentflow/memory/markdown"
)

// Prepare creates missing folders with mode 0700 and .agentflow/.gitignore with mode 0600. It
// changes no existing file, except an empty .gitignore. A person who wants memory in git writes
// something into it, if only a comment. Prepare refuses a memory folder that a symlink leads out of
// the work tree.
func (s *Store) Prepare() error {
	root := filepath.Dir(s.Memory)
	err := s.makeFolder(root)
	if err == nil {
		err = s.ignore(filepath.Join(root, ".gitignore"))
	}
	if err == nil {
		err = s.makeFolder(s.Memory)
	}
	if err != nil {
		return fmt.Errorf("preparing memory: %w", err)
	}
	return nil
}

func (s *Store) makeFolder(path string) error {
	if err := s.inside(path); err != nil {
		return err
	}
	return s.sys.MkdirAll(path, 0o700)
}

// Init is Prepare, and creates a MEMORY.md for durable facts if there is none.
func (s *Store) Init() error {
	if err := s.Prepare(); err != nil {
		return err
	}
	if err := s.create(filepath.Join(s.Memory, memory.LastingFile), "# "+memory.FileTitle(memory.LastingFile)+"\n"); err != nil {
		return fmt.Errorf("preparing memory: %w", err)
	}
	return nil
}

const ignoring = "*\n"

// ignore creates the .gitignore, or fills an empty one.
func (s *Store) ignore(path string) error {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 0 {
		return s.create(path, ignoring)
	}
	f, err := s.sys.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, ignoring)
	return errors.Join(err, f.Close())
}

func (s *Store) create(path, text string) error {
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	f, err := s.sys.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, text)
	return errors.Join(err, f.Close())
}

// inside refuses a path that, with every symlink followed, leaves the folder that holds .agentflow.
// A repository from somewhere else must not make us write outside. A path that does not exist yet
// is judged by its nearest existing parent. A symlink that points to nothing is refused.
func (s *Store) inside(path string) error {
	root, err := filepath.EvalSymlinks(filepath.Dir(filepath.Dir(s.Memory)))
	if err != nil {
		return err
	}
	real, err := s.real(path)
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(root, real)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return fmt.Errorf("%s leads outside %s", path, root)
	}
	return nil
}

func (s *Store) real(path string) (string, error) {
	var missing []string
	for at := path; ; at = filepath.Dir(at) {
		real, err := filepath.EvalSymlinks(at)
		if err == nil {
			return filepath.Join(append([]string{real}, missing...)...), nil
		}
		if !errors.Is(err, fs.ErrNotExist) || filepath.Dir(at) == at {
			return "", err
		}
		if isLink(at) {
			return "", fmt.Errorf("%s is a symlink that points to nothing", at)
		}
		missing = append([]string{filepath.Base(at)}, missing...)
	}
}

func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

const feedbackHead = `# Feedback

What a run was shown and did not need: it ranks lower for tasks like that one. Take a line out to take it back.

`

// separator returns the text between a file's contents and the entry that is appended: the heading
// of a new daily file, else one blank line.
func separator(content []byte, name string, text []byte) string {
	blank := blankLine(content, name)
	switch {
	case !markdown.IsNote(text):
		return blank
	case blank == "\n" && markdown.EndsWithNote(content):
		return ""
	}
	return blank + markdown.NotesHeading + "\n\n"
}

// blankLine returns the separator between content and the text after it, or the heading of a new
// file.
func blankLine(content []byte, name string) string {
	switch {
	case len(content) == 0:
		if _, ok := memory.DayOf(name); ok {
			return "# " + memory.FileTitle(name) + "\n\n"
		}
		if name == memory.FeedbackFile {
			return feedbackHead
		}
		return ""
	case bytes.HasSuffix(content, []byte("\n\n")), bytes.HasSuffix(content, []byte("\n\r\n")):
		return ""
	case content[len(content)-1] == '\n':
		if name == memory.FeedbackFile {
			return "" // bullets of one list
		}
		return "\n"
	}
	return "\n\n"
}

// dayFile returns the file for an entry of time t: the file of its day, or another one of that day
// if the file came with the repository.
func (s *Store) dayFile(t time.Time) string {
	name := memory.DayFile(t)
	for n := 2; s.Untrusted(name) && n < 100; n++ {
		name = fmt.Sprintf("%s-%d.md", strings.TrimSuffix(memory.DayFile(t), ".md"), n)
	}
	return name
}

func (s *Store) path(name string) string { return filepath.Join(s.Memory, filepath.FromSlash(name)) }

// list stats every Markdown file of ours in the memory folder, by name relative to it. It does not
// follow folders that lead elsewhere, and skips symlinks and hidden names.
func (s *Store) list() (map[string]fs.FileInfo, error) {
	files := map[string]fs.FileInfo{}
	err := s.inside(s.Memory)
	if err == nil || safefile.IsAbsent(err) {
		err = s.listInto(files, "")
	}
	if err != nil {
		return files, fmt.Errorf("listing memory: %w", err)
	}
	return files, nil
}

func (s *Store) listInto(files map[string]fs.FileInfo, under string) error {
	folder, err := safefile.OpenFolder(s.path(under))
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
			if err := s.listInto(files, name); err != nil {
				return err
			}
		case item.Type().IsRegular() && strings.HasSuffix(name, ".md") && !s.Untrusted(name):
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
