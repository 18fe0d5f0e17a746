package hook

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentflow/internal/atomicfile"
	"agentflow/internal/config"
	"agentflow/internal/filelock"
	"agentflow/internal/safefile"
)

// noteName names the script for hook managers and other hooks.
const noteName = "note"

// Install installs our hooks for all work trees of the repository, and returns their states. An
// existing hook is kept under another name and runs after ours. A repeated Install changes nothing,
// or completes an interrupted one. A hook that only the user can install is returned as Wanted. If
// one fails, Install still installs the others.
func Install(ctx context.Context, place config.Place) ([]Spot, error) {
	if place.CommonDir == "" {
		return nil, ErrNoGit
	}
	if err := prepare(place); err != nil {
		return nil, err
	}
	failed := withLock(ctx, place, func() error {
		spots, failed := Look(ctx, place)
		for i := range spots {
			if err := spots[i].install(); err != nil {
				failed = errors.Join(failed, fmt.Errorf("installing the hook %s: %w", spots[i].Path, err))
			}
		}
		return failed
	})
	spots, err := Look(ctx, place)
	return spots, cmp.Or(failed, err)
}

const changeWait = 10 * time.Second

// withLock makes a change while no other process makes one. If two processes kept the earlier hook
// at the same time, the second would keep ours.
func withLock(ctx context.Context, place config.Place, change func() error) error {
	folder := filepath.Join(place.State(), folderName)
	lock, err := filelock.Acquire(ctx, filepath.Join(folder, lockName), filelock.Self("hook", time.Now()), changeWait)
	if err != nil {
		return fmt.Errorf("changing hooks: %w", err)
	}
	return errors.Join(change(), lock.Release())
}

// prepare creates the folder and the script that the hooks need.
func prepare(place config.Place) error {
	folder := filepath.Join(place.State(), folderName)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("installing hooks: %w", err)
	}
	return atomicfile.WriteHere(filepath.Join(folder, noteName), renderNote(), 0o700)
}

// install installs one hook, unless only the user can.
func (s *Spot) install() error {
	if s.State != Missing && s.State != Outdated && s.State != Broken {
		return nil
	}
	text, _, err := readHook(s.Path)
	if err != nil {
		return err
	}
	ours, _ := recognise(text)
	if s.State == Broken && !ours {
		return nil // the user's own hook calls ours
	}
	if err := s.recordPlace(); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(s.Path), 0o755); err != nil {
		return err
	}
	if text != nil && !ours {
		if err := os.Rename(s.Path, s.beforePath()); err != nil {
			return err
		}
	}
	before, _, err := readHook(s.beforePath())
	if err != nil {
		return err
	}
	if err := atomicfile.Write(s.Path, render(s.Hook, chainTo(before)), 0o755); err != nil {
		return err
	}
	return makeExecutable(s.Path)
}

func makeExecutable(path string) error {
	info, err := os.Stat(path)
	if err != nil || executable(info.Mode()) {
		return err
	}
	return os.Chmod(path, info.Mode().Perm()|0o111&(info.Mode().Perm()>>2))
}

// recordPlace records a hook's place before it is written there, and hides it from git if it is
// among the files of a work tree.
func (s *Spot) recordPlace() error {
	r, err := readRecord(s.queueFolder())
	if err != nil {
		return err
	}
	if s.folder.tree != "" {
		for _, path := range []string{s.Path, s.beforePath()} {
			line, err := excludeLine(s.folder.tree, path)
			if err != nil {
				return err
			}
			if err := r.exclude(s.folder.repo, line); err != nil {
				return err
			}
		}
	}
	r.addPossible(s.Hook, s.Path)
	return r.write()
}

// moveBack removes one hook: the earlier one replaces ours in one step.
func moveBack(path, before string) error {
	if _, err := os.Lstat(before); err == nil {
		return os.Rename(before, path)
	}
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// recordName lists the installed hooks. With it, Uninstall finds them after core.hooksPath was
// changed.
const recordName = "installed.json"

// maxRead bounds a hook, and a file that lists hooks, in bytes.
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
	text, err := safefile.Read(filepath.Join(folder, recordName), safefile.NoLink, maxRead)
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

// addPossible adds places where a hook of ours may be.
func (r *record) addPossible(hook string, paths ...string) {
	for _, path := range paths {
		if p := (placed{hook, path}); !slices.Contains(r.Hooks, p) {
			r.Hooks = append(r.Hooks, p)
		}
	}
}

func (r *record) write() error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.WriteHere(filepath.Join(r.folder, recordName), append(text, '\n'), 0o600)
}

// excludeLine returns the pattern that hides one file of a work tree from git (gitignore(5)).
func excludeLine(tree, path string) (string, error) {
	rel, err := filepath.Rel(tree, path)
	return "/" + strings.NewReplacer("*", `\*`, "?", `\?`, "[", `\[`, `\`, `\\`, " ", `\ `).Replace(filepath.ToSlash(rel)), err
}

// readExcludes reads info/exclude, which need not exist.
func readExcludes(repo string) (file, text string, err error) {
	file = filepath.Join(repo, "info", "exclude")
	data, err := safefile.Read(file, safefile.AnyLink, maxRead)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return file, string(data), err
}

// exclude adds a line to info/exclude, unless it is there.
func (r *record) exclude(repo, line string) error {
	file, text, err := readExcludes(repo)
	if err != nil || slices.Contains(strings.Split(text, "\n"), line) {
		return err
	}
	if !slices.Contains(r.Excluded, line) {
		r.Excluded = append(r.Excluded, line)
		if err := r.write(); err != nil {
			return err
		}
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return atomicfile.Write(file, []byte(text+line+"\n"), 0o644)
}

// removeExcludes removes our lines from info/exclude.
func (r *record) removeExcludes(repo string) error {
	if len(r.Excluded) == 0 {
		return nil
	}
	file, text, err := readExcludes(repo)
	if err != nil || text == "" {
		return err
	}
	lines := slices.DeleteFunc(strings.SplitAfter(text, "\n"), func(line string) bool {
		return slices.Contains(r.Excluded, strings.TrimSuffix(line, "\n"))
	})
	return atomicfile.Write(file, []byte(strings.Join(lines, "")), 0o644)
}
