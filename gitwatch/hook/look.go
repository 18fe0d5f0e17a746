package hook

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"agentflow/internal/config"
	"agentflow/internal/safefile"
)

// State is the state of one hook.
type State string

// The states of a hook. In those from Installed to ByHand, git calls our hook.
const (
	Installed State = "installed"
	Outdated  State = "outdated"   // of another version: install updates it
	Changed   State = "changed"    // the user edited it: it is not touched
	ByHand    State = "by hand"    // another hook, or a hook manager's settings, call ours
	Missing   State = "missing"    // not there: install puts it there
	Broken    State = "broken"     // there, but without effect: install repairs it
	Wanted    State = "to be done" // only the user can install it: Add says what to add
	Off       State = "off"        // git runs no hooks there at all
)

// Works reports whether git calls our hook.
func (s State) Works() bool {
	return s == Installed || s == Outdated || s == Changed || s == ByHand
}

// Spot is one hook in one of the folders where git looks for hooks.
type Spot struct {
	Hook      string   `json:"hook"`
	State     State    `json:"state"`
	Path      string   `json:"path"`      // of our hook's file, which may not exist yet
	Worktrees []string `json:"worktrees"` // the work trees whose commits it sees
	Manager   string   `json:"manager"`   // the hook manager that is used there
	Chained   string   `json:"chained"`   // the hook that was there before, which ours calls
	Shared    bool     `json:"shared"`    // other repositories use the same folder
	Detail    string   `json:"detail"`    // anything unusual
	Add       string   `json:"add"`       // the text that the user must add by hand ...
	AddTo     string   `json:"add_to"`    // ... to this file

	folder folder
}

// ErrNoGit means that there is no repository for the hooks.
var ErrNoGit = errors.New("hooks are git's, and this is no git repository")

// Look finds the states of the hooks of all work trees of a repository. It changes nothing. With an
// error it returns the states that it could read.
func Look(ctx context.Context, place config.Place) ([]Spot, error) {
	if place.CommonDir == "" {
		return nil, ErrNoGit
	}
	list, failed := folders(ctx, place)
	var spots []Spot
	for _, f := range list {
		for _, hook := range []string{postCommit, postRewrite} {
			spot, err := f.look(ctx, hook)
			failed = errors.Join(failed, err)
			spots = append(spots, spot)
		}
	}
	return spots, failed
}

func (f folder) look(ctx context.Context, hook string) (Spot, error) {
	s := Spot{Hook: hook, State: Off, Path: filepath.Join(f.path, hook), Worktrees: f.trees, Shared: f.shared(), folder: f}
	if s.Detail = f.missing(); s.Detail != "" {
		return s, nil
	}
	if isHusky(f.path) {
		s.Manager, s.Path = husky, filepath.Join(filepath.Dir(f.path), hook)
	}
	text, mode, err := readHook(s.Path)
	if err != nil {
		return s, err
	}
	if s.Manager == "" {
		s.Manager = managerOf(text)
	}
	switch s.Manager {
	case lefthook, overcommit:
		tree := f.trees[0]
		s.Add, s.AddTo = settings(s.Manager, tree, hook)
		s.needsUser(inSettings(s.Manager, tree, hook))
		if s.Manager == overcommit && s.State == Wanted {
			s.Detail = "run 'overcommit --sign' when that is done"
		}
		return s, nil
	case preCommit:
		s.Path += ".legacy"
		if text, mode, err = readHook(s.Path); err != nil {
			return s, err
		}
	}
	return s, s.findState(ctx, text, mode)
}

// needsUser sets the state of a hook that only the user can install. done says that the user has
// installed it.
func (s *Spot) needsUser(done bool) {
	if s.State = Wanted; !done {
		return
	}
	s.State, s.Add, s.AddTo = ByHand, "", ""
	if _, err := os.Stat(filepath.Join(s.queueFolder(), noteName)); err != nil {
		s.State, s.Detail = Broken, "what it calls is not there"
	}
}

// findState decides by the file at the hook's path. text is nil if there is none.
func (s *Spot) findState(ctx context.Context, text []byte, mode fs.FileMode) error {
	before, _, err := readHook(s.beforePath())
	if err != nil {
		return err
	}
	ours, intact := recognise(text)
	if before != nil && (ours || text == nil) {
		s.Chained = s.beforePath()
		s.Manager = cmp.Or(s.Manager, managerOf(before))
	}
	switch {
	case text == nil:
		s.State = Missing
	case ours && !intact:
		s.State, s.Detail = Changed, "somebody changed it since it was installed"
	case ours:
		s.stateOfOurs(string(text) == string(render(s.Hook, chainTo(before))), mode)
	default:
		return s.stateOfForeign(ctx, text, before != nil)
	}
	return nil
}

func (s *Spot) stateOfOurs(current bool, mode fs.FileMode) {
	info, err := os.Stat(s.queueFolder())
	switch {
	case err != nil || !info.IsDir():
		s.State, s.Detail = Broken, "it has nowhere to put its notes"
	case s.Manager != husky && !executable(mode):
		s.State, s.Detail = Broken, "it is not executable, so git does not run it"
	case !current:
		s.State, s.Detail = Outdated, "it is of another version"
	case s.Manager == preCommit && s.Hook == postRewrite:
		s.State, s.Detail = Installed, "pre-commit does not pass it the rewritten commits; the reflog has them"
	case s.Manager == hk:
		s.State, s.Detail = Installed, "'hk install' takes it out: install it again then"
	default:
		s.State = Installed
	}
}

// stateOfForeign decides about a hook that is not ours. A hook that git tracks cannot be moved
// without a change that git shows.
func (s *Spot) stateOfForeign(ctx context.Context, text []byte, kept bool) error {
	tracked := s.Manager == husky
	if s.folder.tree != "" && !tracked {
		var err error
		if tracked, err = isTracked(ctx, s.folder.tree, s.Path); err != nil {
			return err
		}
	}
	switch {
	case tracked || callsOurs(text, s.Hook):
		s.Add, s.AddTo = scriptLine(s.Hook), s.Path
		s.needsUser(callsOurs(text, s.Hook))
	case kept:
		s.State = Off
		s.Detail = fmt.Sprintf("somebody put another hook over ours, and what was there before is still kept as %s: move one of them away", s.beforePath())
	default:
		s.State = Missing
	}
	return nil
}

func (s *Spot) beforePath() string {
	return filepath.Join(filepath.Dir(s.Path), beforeName(s.Hook))
}

func (s *Spot) queueFolder() string {
	return filepath.Join(s.folder.repo, "agentflow", folderName)
}

// readHook reads a hook. The text is nil if there is no file, and empty for a program or a dangling
// link.
func readHook(path string) ([]byte, fs.FileMode, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	text, err := safefile.Read(path, safefile.AnyLink, maxRead)
	switch {
	case errors.Is(err, safefile.ErrNotRegular):
		return nil, 0, fmt.Errorf("reading the hook %s: it is no file", path)
	case errors.Is(err, safefile.ErrTooLarge): // a program
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, 0, err
	}
	if bytes.IndexByte(text, 0) >= 0 {
		text = nil // a program: its text has no meaning
	}
	return append([]byte{}, text...), info.Mode(), nil
}
