package repo

import (
	"os"
	"path/filepath"
	"strings"

	"agentflow/internal/gitdir"
)

// RemoteFolder is the git directory that git fetches a remote from, where that is a folder
// of this machine. The remote is a name or an address; dir is a work tree or a git
// directory. Empty means that git alone knows: the remote is elsewhere, is reached by a
// program of the user's, or the settings hold something that this package does not
// understand.
func RemoteFolder(dir, remote string) string {
	p := placeAt(dir)
	if p == nil {
		return ""
	}
	c := configReader{place: p, values: map[string]string{}, named: map[string][]string{}}
	if err := c.readPlace(); err != nil || c.unsure {
		return ""
	}
	path := c.localPath(c.address(remote))
	if path == "" {
		return ""
	}
	return servedFrom(path)
}

// placeAt is the place of a work tree or of a git directory, as far as config needs it; nil
// where there is none.
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

// address is the one address of a remote; empty where there are several, or the remote says
// how it is reached.
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

// localPath is the path that an address names, unless it is rewritten or git may refuse it.
func (c *configReader) localPath(address string) string {
	path := strings.TrimPrefix(address, "file://")
	if !filepath.IsAbs(path) || path != address && strings.Contains(path, "%") {
		return ""
	}
	if _, set := c.values["protocol.allow"]; set || c.named["protocol.file.allow"] != nil {
		return ""
	}
	for name, values := range c.named {
		if !strings.HasPrefix(name, "url.") || !strings.HasSuffix(name, ".insteadof") {
			continue
		}
		for _, from := range values {
			if strings.HasPrefix(address, from) {
				return ""
			}
		}
	}
	return path
}

// servedFrom is the git directory that git serves for a path, which is a work tree's or its
// own.
func servedFrom(path string) string {
	if _, err := os.Lstat(filepath.Join(path, ".git")); err == nil {
		path = filepath.Join(path, ".git")
	}
	if _, err := os.Lstat(filepath.Join(path, "commondir")); err == nil || !gitdir.Is(path) {
		return ""
	}
	return path
}
