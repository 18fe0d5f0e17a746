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

	unnoted bool // only the .git file of this work tree says that it is the main one
}

// Memory is the folder of Markdown files, the source of truth.
func (p Place) Memory() string { return filepath.Join(p.Root, "memory") }

// Index is the path of the derived database.
func (p Place) Index() string { return filepath.Join(p.Root, "state", "index.db") }

// Contents is the file that knows which names the files of this work tree hold; empty
// where there is no work tree of git.
func (p Place) Contents() string {
	if p.GitDir == "" || p.Worktree == "" {
		return ""
	}
	return filepath.Join(p.GitDir, "agentflow", "contents.db")
}

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

// New is the place a fresh memory outside git would have in dir.
func New(dir string) (Place, error) {
	dir, err := gitdir.Resolve(dir)
	if err != nil {
		return Place{}, fmt.Errorf("making a memory in %s: %w", dir, err)
	}
	return Place{Worktree: dir, Root: folderIn(dir)}, nil
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

// ofGitDir is the place of a command that runs in a git directory, which is a bare
// repository or that of a work tree.
func ofGitDir(dir string) (Place, error) {
	git, err := gitdir.Inside(dir)
	if err != nil {
		return Place{}, err
	}
	return Place{GitDir: git.Git, CommonDir: git.Common, Root: folderIn(gitdir.MainRoot(git.Common))}, nil
}

// ofWorkTree is the place of a work tree. Its .git is a file in a linked work
// tree, in a submodule, and where the git directory is elsewhere.
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

// folderIn is the .agentflow folder of a work tree or of a bare repository.
func folderIn(dir string) string { return filepath.Join(dir, ".agentflow") }

// Note records where the main work tree is if only its own .git file says so, so that
// the linked ones find the same memory.
func (p Place) Note() error {
	if !p.unnoted {
		return nil
	}
	return gitdir.NoteMain(p.CommonDir, p.Worktree)
}

// Strays are folders where earlier versions may have kept a second memory of the same
// log, because a linked work tree or a bare repository did not lead to Root.
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
