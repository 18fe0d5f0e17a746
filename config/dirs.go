package config

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path/filepath"
)

// Dirs are the user's own folders for AgentFlow.
type Dirs struct {
	Home   string // the user's home; discovery stops below it
	Config string // config.toml
	State  string // trust.json, and logs of repositories that cannot be written
	Data   string // the user's own memory, across repositories; empty when no home is known
}

// UserDirs reads the user's folders from the environment: getenv is
// os.Getenv, goos is runtime.GOOS. The XDG Base Directory variables count on
// every system, relative ones excepted, as they would lead into whatever
// folder a command is run in; without them each system's own custom does.
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

// Global is the place of the user's own memory, which is in no work tree; its
// Root is empty when no home is known.
func (d Dirs) Global() Place {
	root := d.Data
	if real, err := filepath.EvalSymlinks(root); root != "" && err == nil {
		root = real // the user may well keep it elsewhere
	}
	return Place{Root: root}
}

// ConfigFile is the user's settings file.
func (d Dirs) ConfigFile() string {
	if d.Config == "" {
		return ""
	}
	return filepath.Join(d.Config, "config.toml")
}

// Fallback is where the log of a repository goes when its own state folder
// cannot be written; empty when the user has no folders either.
func (d Dirs) Fallback(p Place) string {
	if d.State == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(p.State()))
	return filepath.Join(d.State, "repositories", hex.EncodeToString(sum[:8]))
}
