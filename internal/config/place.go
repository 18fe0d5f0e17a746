package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"agentflow/internal/gitdir"
)

// ErrNoPlace means that the starting folder and those above it have neither a
// git repository nor a .agentflow folder.
var ErrNoPlace = errors.New("no git repository and no .agentflow folder here")

// Place describes one repository, or one folder with a memory outside git, and
// AgentFlow's folders for it. All paths are absolute with links resolved.
type Place struct {
	Worktree  string // root of the work tree that the command runs in; empty in a bare repository
	Linked    string // name of the linked work tree; empty in the main one
	GitDir    string // git directory of this work tree; empty outside git
	CommonDir string // git directory shared by all work trees; empty outside git
	Root      string // the .agentflow folder, one for all work trees

	unnoted bool // only the .git file of this work tree shows that it is the main one
}

// Memory returns the folder of Markdown files, the source of truth.
func (p Place) Memory() string { return filepath.Join(p.Root, "memory") }

// Index returns the path of the derived database.
func (p Place) Index() string { return filepath.Join(p.Root, "state", "index.db") }

// Contents returns the path of the index of the names in this work tree's
// files; empty without a git work tree.
func (p Place) Contents() string {
	if p.GitDir == "" || p.Worktree == "" {
		return ""
	}
	return filepath.Join(p.GitDir, "agentflow", "contents.db")
}

// ConfigFile returns the path of the repository's settings file.
func (p Place) ConfigFile() string { return filepath.Join(p.Root, "config.toml") }

// State returns the folder of the log, the lock and the run folders. If there
// is a git directory, git clean cannot reach it.
func (p Place) State() string {
	if p.CommonDir != "" {
		return filepath.Join(p.CommonDir, "agentflow")
	}
	return filepath.Join(p.Root, "local")
}

// Runs returns the folder with one folder for each run.
func (p Place) Runs() string { return filepath.Join(p.State(), "runs") }

// HasMemory reports whether memory was ever written here.
func (p Place) HasMemory() bool {
	for _, dir := range []string{p.Root, p.State()} {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			return true
		}
	}
	return false
}

// Find looks for the repository in start and the folders above. It does not go
// up to home or above it, so that a dotfiles repository does not claim every
// folder below. It returns ErrNoPlace if it finds none.
func Find(start, home string) (Place, error) {
	dir, err := gitdir.Resolve(start)
	if err != nil {
		return Place{}, fmt.Errorf("finding the repository of %s: %w", start, err)
	}
	if h, err := gitdir.Resolve(home); home != "" && err == nil {
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

// New returns the place of a new memory outside git in dir.
func New(dir string) (Place, error) {
	dir, err := gitdir.Resolve(dir)
	if err != nil {
		return Place{}, fmt.Errorf("making a memory in %s: %w", dir, err)
	}
	return Place{Worktree: dir, Root: folderIn(dir)}, nil
}

// within reports whether home is dir or below it.
func within(home, dir string) bool {
	if home == "" {
		return false
	}
	rel, err := filepath.Rel(dir, home)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// at returns the place of one folder, or ErrNoPlace.
func at(dir string) (Place, error) {
	dotgit := filepath.Join(dir, ".git")
	info, err := os.Stat(dotgit)
	switch {
	case err == nil && (info.Mode().IsRegular() || gitdir.Is(dotgit)):
		return ofWorkTree(dir)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return Place{}, fmt.Errorf("reading %s: %w", dotgit, err)
	case gitdir.Is(dir):
		return ofGitDir(dir)
	}
	root := folderIn(dir)
	if info, err := os.Stat(root); err == nil && info.IsDir() {
		return Place{Worktree: dir, Root: root}, nil
	}
	return Place{}, ErrNoPlace
}

// ofGitDir returns the place for a command that runs in a git directory, of a
// bare repository or of a work tree.
func ofGitDir(dir string) (Place, error) {
	git, err := gitdir.Inside(dir)
	if err != nil {
		return Place{}, err
	}
	return Place{GitDir: git.Git, CommonDir: git.Common, Root: folderIn(gitdir.MainRoot(git.Common))}, nil
}

// ofWorkTree returns the place of a work tree. Its .git is a file in a linked
// work tree, in a submodule, and if the git directory is elsewhere.
func ofWorkTree(dir string) (Place, error) {
	git, err := gitdir.Of(dir)
	if err != nil {
		return Place{}, err
	}
	place := Place{Worktree: dir, GitDir: git.Git, CommonDir: git.Common, Linked: git.Linked}
	main, certain := gitdir.Main(git.Common)
	switch {
	case git.Linked != "":
	case main == "" && certain: // .git leads to a bare repository
		place.Worktree = ""
	case !certain:
		place.unnoted = main != dir
		main = dir
	}
	place.Root = folderIn(cmp.Or(main, git.Common))
	return place, nil
}

// folderIn returns the .agentflow folder of a work tree or of a bare
// repository.
func folderIn(dir string) string { return filepath.Join(dir, ".agentflow") }

// Note records the main work tree if only its .git file identifies it, so that
// linked work trees find the same memory.
func (p Place) Note() error {
	if !p.unnoted {
		return nil
	}
	return gitdir.NoteMain(p.CommonDir, p.Worktree)
}

// Strays returns folders in which earlier versions may have kept a second
// memory with the same log, because a linked work tree or a bare repository did
// not lead to Root.
func (p Place) Strays() (folders []string) {
	if p.CommonDir == "" {
		return nil
	}
	if folder := folderIn(p.CommonDir); folder != p.Root {
		folders = append(folders, folder)
	}
	around := filepath.Dir(p.CommonDir)
	if folder := folderIn(around); folder != p.Root {
		if git, err := gitdir.Of(around); err == nil && git.Linked == "" && git.Common == p.CommonDir {
			folders = append(folders, folder)
		}
	}
	return folders
}
