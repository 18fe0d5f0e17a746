package repo

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"agentflow/internal/gitdir"
)

// RemoteFolder returns the git directory that git fetches a remote from, if that is a folder of
// this machine. The remote is a name or an address. dir is a work tree or a git directory. It
// returns "" if only git can find out: the remote is elsewhere, is reached by a program of the
// user's, or the settings hold something that this package does not support.
func RemoteFolder(dir, remote string) string {
	c := configAt(dir)
	if c == nil {
		return ""
	}
	path := c.localPath(c.address(remote))
	if path == "" {
		return ""
	}
	return servedFrom(path)
}

// WithoutSSH reports whether git fetches from a remote, and pushes to it, without ssh. It returns
// false if only git can find out.
func WithoutSSH(dir, remote string) bool {
	c := configAt(dir)
	if c == nil || c.named["remote."+remote+".pushurl"] != nil {
		return false
	}
	address := c.address(remote)
	scheme, _, _ := strings.Cut(address, "://")
	return c.localPath(address) != "" || slices.Contains([]string{"git", "http", "https"}, scheme) && !c.isRewritten(address)
}

// configAt returns the config of a work tree or of a git directory. It returns nil if there is
// none, or if it holds something that this package does not support.
func configAt(dir string) *configReader {
	p := placeAt(dir)
	if p == nil {
		return nil
	}
	c := &configReader{place: p, values: map[string]string{}, named: map[string][]string{}}
	if err := c.readPlace(); err != nil || c.unsure {
		return nil
	}
	return c
}

// placeAt returns the place of a work tree or of a git directory, as far as config needs it, or nil
// if there is none.
func placeAt(dir string) *Place {
	if gitdir.Is(dir) {
		return &Place{GitDir: dir, CommonDir: dir}
	}
	dirs, err := gitdir.Of(dir)
	if err != nil {
		return nil
	}
	return &Place{GitDir: dirs.Git, CommonDir: dirs.Common}
}

// address returns the address of a remote. It returns "" if there are several, or if the settings
// say how to reach the remote.
func (c *configReader) address(remote string) string {
	base := "remote." + remote + "."
	if c.named[base+"uploadpack"] != nil || c.named[base+"vcs"] != nil {
		return ""
	}
	switch urls := c.named[base+"url"]; len(urls) {
	case 0:
		return remote
	case 1:
		return urls[0]
	}
	return ""
}

// localPath returns the path that an address names, unless it is rewritten or git may refuse it.
func (c *configReader) localPath(address string) string {
	path := strings.TrimPrefix(address, "file://")
	if !filepath.IsAbs(path) || path != address && strings.Contains(path, "%") {
		return ""
	}
	if _, set := c.values["protocol.allow"]; set || c.named["protocol.file.allow"] != nil {
		return ""
	}
	if c.isRewritten(address) {
		return ""
	}
	return path
}

// isRewritten reports whether git uses another address instead, even if only for pushing.
func (c *configReader) isRewritten(address string) bool {
	for name, values := range c.named {
		if !strings.HasPrefix(name, "url.") || !strings.HasSuffix(name, "insteadof") {
			continue
		}
		if slices.ContainsFunc(values, func(from string) bool { return strings.HasPrefix(address, from) }) {
			return true
		}
	}
	return false
}

// servedFrom returns the git directory that git serves for a path, which is a work tree or a git
// directory.
func servedFrom(path string) string {
	if _, err := os.Lstat(filepath.Join(path, ".git")); err == nil {
		path = filepath.Join(path, ".git")
	}
	if _, err := os.Lstat(filepath.Join(path, "commondir")); err == nil || !gitdir.Is(path) {
		return ""
	}
	return path
}
