package hook

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agentflow/internal/atomicfile"
	"agentflow/internal/repofile"
)

// recordName is the list of what was put where, so that it is found again
// when core.hooksPath was changed since.
const recordName = "installed.json"

// maxRead bounds what is read of a hook, or of what lists them, in bytes.
const maxRead = 1 << 20

type record struct {
	folder   string
	Hooks    []placed `json:"hooks"`
	Excluded []string `json:"excluded"` // lines added to info/exclude
}

type placed struct {
	Hook string `json:"hook"`
	Path string `json:"path"`
}

func readRecord(folder string) (record, error) {
	r := record{folder: folder}
	text, err := repofile.Read(filepath.Join(folder, recordName), repofile.NoLink, maxRead)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		return r, fmt.Errorf("reading which hooks were installed: %w", err)
	}
	return r, nil
}

// may lists places where a hook of ours may be, too.
func (r *record) may(hook string, paths ...string) {
	for _, path := range paths {
		if p := (placed{hook, path}); !slices.Contains(r.Hooks, p) {
			r.Hooks = append(r.Hooks, p)
		}
	}
}

func (r *record) add(hook, path string) error {
	r.may(hook, path)
	return r.write()
}

func (r *record) write() error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.WriteHere(filepath.Join(r.folder, recordName), append(text, '\n'), 0o600)
}

// excludeLine is the pattern that hides one file of a work tree from git
// (gitignore(5)).
func excludeLine(tree, path string) (string, error) {
	rel, err := filepath.Rel(tree, path)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, c := range []byte("/" + filepath.ToSlash(rel)) {
		if strings.IndexByte(`*?[\ `, c) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String(), nil
}

// exclude adds a line to info/exclude, unless it is there.
func (r *record) exclude(repo, line string) error {
	file := filepath.Join(repo, "info", "exclude")
	text, err := repofile.Read(file, repofile.AnyLink, maxRead)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if slices.Contains(strings.Split(string(text), "\n"), line) {
		return nil
	}
	if !slices.Contains(r.Excluded, line) {
		r.Excluded = append(r.Excluded, line)
		if err := r.write(); err != nil {
			return err
		}
	}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		line = "\n" + line
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return atomicfile.Write(file, append(text, line+"\n"...), 0o644)
}

// include takes the lines out of info/exclude again.
func (r *record) include(repo string) error {
	if len(r.Excluded) == 0 {
		return nil
	}
	file := filepath.Join(repo, "info", "exclude")
	text, err := repofile.Read(file, repofile.AnyLink, maxRead)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	lines := slices.DeleteFunc(strings.SplitAfter(string(text), "\n"), func(line string) bool {
		return slices.Contains(r.Excluded, strings.TrimSuffix(line, "\n"))
	})
	return atomicfile.Write(file, []byte(strings.Join(lines, "")), 0o644)
}
