package repo

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// OwnedByOthers is OwnedByOthers of package gitwatch.
func OwnedByOthers(top string, folders ...string) (bool, error) {
	for _, folder := range append(folders, top) {
		info, err := os.Lstat(folder)
		if folder == "" || err != nil || ownedByUser(info) {
			continue
		}
		safe, err := isSafe(top)
		return !safe, err
	}
	return false, nil
}

// isSafe reads safe.directory from the places that git accepts: the system's config, the user's,
// and the environment.
func isSafe(top string) (bool, error) {
	c := configReader{place: &Place{}, values: map[string]string{}}
	if err := c.readAll(outerConfigs()...); err != nil {
		return false, err
	}
	c.environment()
	top = filepath.ToSlash(top)
	for _, dir := range c.safe {
		dir = strings.TrimSuffix(filepath.ToSlash(expandHome(dir)), "/")
		below, all := strings.CutSuffix(dir, "/*")
		if dir == "*" || dir == top || all && strings.HasPrefix(top, below+"/") {
			return true, nil
		}
	}
	return false, nil
}

// noteSafe adds a folder. An empty one removes those before it.
func (c *configReader) noteSafe(dir string) {
	if dir == "" {
		c.safe = nil
		return
	}
	c.safe = append(c.safe, dir)
}

// environment reads the settings that GIT_CONFIG_COUNT announces (git-config(1)).
func (c *configReader) environment() {
	n, _ := strconv.Atoi(os.Getenv("GIT_CONFIG_COUNT"))
	for i := range min(n, maxConfigs) {
		if strings.EqualFold(os.Getenv(fmt.Sprintf("GIT_CONFIG_KEY_%d", i)), "safe.directory") {
			c.noteSafe(os.Getenv(fmt.Sprintf("GIT_CONFIG_VALUE_%d", i)))
		}
	}
}
