package team

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"agentflow/app"
)

// teamRemote is a remote with a memory to serve, and its name in requests.
type teamRemote struct{ Name, Address string }

// TeamRemotes parses the setting: each item is an address, or NAME=ADDRESS. Without a name
// the remote gets the name of its repository.
func TeamRemotes(list []string) (remotes []teamRemote, err error) {
	if len(list) == 0 {
		return nil, &app.Error{Kind: app.KindUsage, Err: errors.New("the setting team.remotes names no remote to serve"), Hint: `'agentflow config set team.remotes git@example.com:team/shop.git' sets one`}
	}
	taken := map[string]string{}
	for _, text := range list {
		r := teamRemote{remoteName(text), text}
		if name, address, ok := strings.Cut(text, "="); ok && !strings.ContainsAny(name, `/:\`) {
			r = teamRemote{name, address}
		}
		if r.Address == "" || !isRepositoryName(r.Name) {
			return nil, &app.Error{Kind: app.KindUsage, Err: fmt.Errorf("team.remotes: %q names no repository", text), Hint: "write NAME=ADDRESS"}
		}
		if other, ok := taken[r.Name]; ok {
			return nil, &app.Error{Kind: app.KindUsage, Err: fmt.Errorf("team.remotes: %q and %q would both be called %s", other, text, r.Name), Hint: "write NAME=ADDRESS"}
		}
		taken[r.Name] = text
		remotes = append(remotes, r)
	}
	return remotes, nil
}

// remoteName returns the last part of an address, without .git.
func remoteName(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		address = u.Path
	}
	address = strings.TrimRight(filepath.ToSlash(address), "/")
	return strings.TrimSuffix(path.Base(address[strings.LastIndexByte(address, ':')+1:]), ".git")
}

// isRepositoryName reports whether a name is valid in requests and as a folder's name.
func isRepositoryName(name string) bool {
	return name != "" && len(name) <= 100 && !strings.HasPrefix(name, ".") && !strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r))
	})
}
