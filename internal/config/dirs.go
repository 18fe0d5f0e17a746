package config

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path/filepath"
)

// Dirs holds the user's folders for AgentFlow.
type Dirs struct {
	Home   string // the user's home; discovery stops below it
	Config string // config.toml
	State  string // trust.json, and logs of repositories that cannot be written
	Data   string // the user's own memory, across repositories; empty if the home is unknown
}

// UserDirs derives the user's folders from the environment: getenv is
// os.Getenv, goos is runtime.GOOS. The XDG Base Directory variables apply on
// every system, unless they are relative, because those would depend on the
// folder in which a command runs. Otherwise each system's convention applies.
func UserDirs(getenv func(string) string, goos string) (Dirs, error) {
	home := getenv("HOME")
	if goos == "windows" {
		home = getenv("USERPROFILE")
	}
	defaults := map[string][3]string{
		"windows": {"AppData/Roaming", "AppData/Local", "AppData/Local"},
		"darwin":  {"Library/Application Support", "Library/Application Support", "Library/Application Support"},
	}
	custom, ok := defaults[goos]
	if !ok {
		custom = [3]string{".config", ".local/state", ".local/share"}
	}
	folder := func(xdg, custom string) string {
		dir := getenv(xdg)
		switch {
		case filepath.IsAbs(dir):
		case home == "":
			return ""
		default:
			dir = filepath.Join(home, filepath.FromSlash(custom))
		}
		return filepath.Join(dir, "agentflow")
	}
	dirs := Dirs{
		Home:   home,
		Config: folder("XDG_CONFIG_HOME", custom[0]),
		State:  folder("XDG_STATE_HOME", custom[1]),
		Data:   folder("XDG_DATA_HOME", custom[2]),
	}
	if dirs.Config == "" || dirs.State == "" {
		return Dirs{Home: home}, errors.New("finding your folders: neither HOME nor XDG_CONFIG_HOME and XDG_STATE_HOME are set")
	}
	return dirs, nil
}

// Global returns the place of the user's own memory, which is in no work tree.
// Its Root is empty if the home is unknown.
func (d Dirs) Global() Place {
	root := d.Data
	if real, err := filepath.EvalSymlinks(root); root != "" && err == nil {
		root = real // the user may keep it elsewhere through a link
	}
	return Place{Root: root}
}

// ConfigFile returns the path of the user's settings file.
func (d Dirs) ConfigFile() string {
	if d.Config == "" {
		return ""
	}
	return filepath.Join(d.Config, "config.toml")
}

// Fallback returns the folder for the log of a repository if the repository's
// state folder cannot be written; empty if the user has no folders either.
func (d Dirs) Fallback(p Place) string {
	if d.State == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(p.State()))
	return filepath.Join(d.State, "repositories", hex.EncodeToString(sum[:8]))
}
