package app

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"agentflow/internal/filelock"
)

// teamFolder is the temporary folder of a team's server, locked as long as that lives.
type teamFolder struct {
	dir  string
	lock *filelock.Lock
}

// teamFolderPrefix begins the names of such folders.
const teamFolderPrefix = "agentflow-team-"

// newTeamFolder makes one, and removes those that killed servers left.
func newTeamFolder(ctx context.Context) (*teamFolder, error) {
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), teamFolderPrefix+"*")) // the pattern is no bad one
	for _, dir := range left {
		if !isTeamFolder(dir) {
			continue
		}
		if f, err := lockTeamFolder(ctx, dir); err == nil {
			_ = f.remove() // the next server tries again
		}
	}
	var err error
	for range teamFolderTries { // a server that starts beside this one may take a new folder for one that was left
		var dir string
		if dir, err = os.MkdirTemp("", teamFolderPrefix); err != nil {
			return nil, fmt.Errorf("making a temporary folder: %w", err)
		}
		var f *teamFolder
		if f, err = lockTeamFolder(ctx, dir); err == nil {
			return f, nil
		}
		err = errors.Join(err, os.RemoveAll(dir))
	}
	return nil, err
}

const teamFolderTries = 5

// isTeamFolder says whether a folder is as a server made it: for its user alone. Whoever else
// may write to the temporary folder could make one that is not.
func isTeamFolder(dir string) bool {
	info, err := os.Lstat(dir)
	return err == nil && info.IsDir() && (runtime.GOOS == "windows" || info.Mode().Perm() == 0o700)
}

func lockTeamFolder(ctx context.Context, dir string) (*teamFolder, error) {
	lock, err := filelock.Acquire(ctx, filepath.Join(dir, "lock"), filelock.Self("serve --team", time.Now()), 0)
	return &teamFolder{dir, lock}, err
}

func (f *teamFolder) path(parts ...string) string {
	return filepath.Join(append([]string{f.dir}, parts...)...)
}

// remove removes it while it is locked, so that no server that starts takes it for one that
// was left. A system that keeps open files does so once the lock is given back.
func (f *teamFolder) remove() error {
	err := os.RemoveAll(f.dir)
	if released := f.lock.Release(); released != nil || err == nil {
		return released
	}
	return os.RemoveAll(f.dir)
}

// teamRemote is a remote whose memory is served, by the name that requests have for it.
type teamRemote struct{ name, address string }

// teamRemotes reads the setting: each is an address, or NAME=ADDRESS. Without a name it is
// called as its repository is.
func teamRemotes(list []string) (remotes []teamRemote, err error) {
	if len(list) == 0 {
		return nil, &Error{Kind: KindUsage, Err: errors.New("no remotes are set whose memory is to be served"), Hint: `'agentflow config set team.remotes git@example.com:team/shop.git' sets one`}
	}
	taken := map[string]string{}
	for _, text := range list {
		r := teamRemote{remoteName(text), text}
		if name, address, ok := strings.Cut(text, "="); ok && !strings.ContainsAny(name, `/:\`) {
			r = teamRemote{name, address}
		}
		if r.address == "" || !isRepositoryName(r.name) {
			return nil, &Error{Kind: KindUsage, Err: fmt.Errorf("team.remotes: %q names no repository", text), Hint: "write NAME=ADDRESS"}
		}
		if other, ok := taken[r.name]; ok {
			return nil, &Error{Kind: KindUsage, Err: fmt.Errorf("team.remotes: %q and %q would both be called %s", other, text, r.name), Hint: "write NAME=ADDRESS"}
		}
		taken[r.name] = text
		remotes = append(remotes, r)
	}
	return remotes, nil
}

// remoteName is the last part of an address, without .git.
func remoteName(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		address = u.Path
	}
	address = strings.TrimRight(filepath.ToSlash(address), "/")
	return strings.TrimSuffix(path.Base(address[strings.LastIndexByte(address, ':')+1:]), ".git")
}

// isRepositoryName says whether a name can be one in requests, and that of a folder.
func isRepositoryName(name string) bool {
	return name != "" && len(name) <= 100 && !strings.HasPrefix(name, ".") && !strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r))
	})
}
