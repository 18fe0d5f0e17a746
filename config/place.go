package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"agentflow/internal/repofile"

	gitconfig "github.com/go-git/go-git/v5/plumbing/format/config"
)

// ErrNoPlace means that neither a git repository nor a .agentflow folder was
// found from the starting folder upwards.
var ErrNoPlace = errors.New("no git repository and no .agentflow folder here")

// Place is one repository, or one folder with a memory outside git, and
// where AgentFlow keeps things for it. All paths are absolute with links
// resolved.
type Place struct {
	Worktree  string // root of the work tree the command runs in; empty in a bare repository
	Linked    string // name of the linked work tree; empty in the main one
	GitDir    string // this work tree's git directory; empty outside git
	CommonDir string // the git directory all work trees share; empty outside git
	Root      string // the .agentflow folder, one for all work trees
}

// Memory is the folder of Markdown files, the source of truth.
func (p Place) Memory() string { return filepath.Join(p.Root, "memory") }

// Index is the path of the derived database.
func (p Place) Index() string { return filepath.Join(p.Root, "state", "index.db") }

// ConfigFile is the repository's own settings file.
func (p Place) ConfigFile() string { return filepath.Join(p.Root, "config.toml") }

// State is where the log, the lock and the run folders live: out of reach of
// git clean when there is a git directory.
func (p Place) State() string {
	if p.CommonDir != "" {
		return filepath.Join(p.CommonDir, "agentflow")
	}
	return filepath.Join(p.Root, "local")
}

// Runs holds one folder for each run.
func (p Place) Runs() string { return filepath.Join(p.State(), "runs") }

// HasMemory says whether memory was ever written here.
func (p Place) HasMemory() bool {
	for _, dir := range []string{p.Root, p.State()} {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return true
		}
	}
	return false
}

// Find looks for the repository from start upwards. It never climbs to home
// or above it, so that a dotfiles repository does not swallow every folder
// below. It returns ErrNoPlace when there is nothing.
func Find(start, home string) (Place, error) {
	dir, err := resolve(start)
	if err != nil {
		return Place{}, fmt.Errorf("finding the repository of %s: %w", start, err)
	}
	if h, err := resolve(home); home != "" && err == nil {
		home = h
	}
	for first := true; first || !within(home, dir); first = false {
		place, err := at(dir)
		if !errors.Is(err, ErrNoPlace) {
			return place, err
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			break
		}
		dir = parent
	}
	return Place{}, ErrNoPlace
}

// New is the place a fresh memory outside git would have in dir.
func New(dir string) (Place, error) {
	dir, err := resolve(dir)
	if err != nil {
		return Place{}, fmt.Errorf("making a memory in %s: %w", dir, err)
	}
	return Place{Worktree: dir, Root: filepath.Join(dir, ".agentflow")}, nil
}

// within says whether home is dir or lies below it.
func within(home, dir string) bool {
	if home == "" {
		return false
	}
	rel, err := filepath.Rel(dir, home)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// at looks at one folder.
func at(dir string) (Place, error) {
	dotgit := filepath.Join(dir, ".git")
	info, err := os.Stat(dotgit)
	switch {
	case err == nil && info.IsDir() && isGitDir(dotgit):
		return Place{Worktree: dir, GitDir: dotgit, CommonDir: dotgit, Root: filepath.Join(dir, ".agentflow")}, nil
	case err == nil && info.Mode().IsRegular():
		return linked(dir, dotgit)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return Place{}, fmt.Errorf("reading %s: %w", dotgit, err)
	case isGitDir(dir):
		return Place{GitDir: dir, CommonDir: dir, Root: filepath.Join(dir, ".agentflow")}, nil
	}
	root := filepath.Join(dir, ".agentflow")
	if info, err := os.Stat(root); err == nil && info.IsDir() {
		return Place{Worktree: dir, Root: root}, nil
	}
	return Place{}, ErrNoPlace
}

// isGitDir applies git's own test: HEAD, objects and refs are there, or a
// commondir file points to where they are.
func isGitDir(dir string) bool {
	head := filepath.Join(dir, "HEAD")
	if _, err := os.Lstat(head); err != nil {
		return false
	}
	if info, err := os.Stat(head); err == nil && !info.Mode().IsRegular() {
		return false // whoever reads it waits for ever
	}
	if _, err := os.Stat(filepath.Join(dir, "commondir")); err == nil {
		return true
	}
	for _, name := range []string{"objects", "refs"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

// linked reads a .git file: a linked work tree, a submodule, or a git
// directory kept elsewhere (gitrepository-layout(5)).
func linked(dir, dotgit string) (Place, error) {
	gitDir, err := readPointer(dotgit, "gitdir: ")
	if err != nil {
		return Place{}, err
	}
	place := Place{Worktree: dir, GitDir: gitDir, CommonDir: gitDir, Root: filepath.Join(dir, ".agentflow")}
	common, err := readPointer(filepath.Join(gitDir, "commondir"), "")
	if errors.Is(err, fs.ErrNotExist) {
		return place, nil
	}
	if err != nil {
		return Place{}, err
	}
	place.CommonDir = common
	place.Linked = filepath.Base(gitDir)
	place.Root = filepath.Join(MainRoot(common), ".agentflow")
	return place, nil
}

// Bounds of what git keeps, in bytes: its config, and a file that names a
// folder.
const (
	maxGitConfig = 1 << 20
	maxPointer   = 64 << 10
)

// MainRoot is the main work tree of a common directory, or the common
// directory itself when the repository is bare or does not say.
func MainRoot(common string) string {
	cfg := gitconfig.New()
	if text, err := repofile.Read(filepath.Join(common, "config"), repofile.AnyLink, maxGitConfig); err == nil {
		if gitconfig.NewDecoder(bytes.NewReader(text)).Decode(cfg) != nil {
			cfg = gitconfig.New()
		}
	}
	core := cfg.Section("core")
	if strings.EqualFold(core.Option("bare"), "true") {
		return common
	}
	if tree := core.Option("worktree"); tree != "" {
		if dir, err := resolve(join(common, tree)); err == nil {
			return dir
		}
	}
	if filepath.Base(common) == ".git" {
		return filepath.Dir(common)
	}
	return common
}

// readPointer reads a one-line file that names a folder, relative to the
// file's own.
func readPointer(file, prefix string) (string, error) {
	data, err := repofile.Read(file, repofile.AnyLink, maxPointer)
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", file, err)
	}
	target, ok := strings.CutPrefix(strings.TrimRight(string(data), "\r\n"), prefix)
	if !ok || target == "" {
		return "", fmt.Errorf("reading %s: no %q line in it", file, strings.TrimSpace(prefix))
	}
	dir, err := resolve(join(filepath.Dir(file), target))
	if err != nil {
		return "", fmt.Errorf("following %s: %w", file, err)
	}
	return dir, nil
}

func join(base, target string) string {
	target = filepath.FromSlash(target)
	if filepath.IsAbs(target) {
		return target
	}
	return filepath.Join(base, target)
}

func resolve(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}
