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
}

// UserDirs reads the user's folders from the environment: getenv is
// os.Getenv, goos is runtime.GOOS. The XDG Base Directory variables count on
// every system; without them each system's own custom does.
func UserDirs(getenv func(string) string, goos string) (Dirs, error) {
	home := getenv("HOME")
	if goos == "windows" {
		home = getenv("USERPROFILE")
	}
	config, state := getenv("XDG_CONFIG_HOME"), getenv("XDG_STATE_HOME")
	if home == "" && (config == "" || state == "") {
		return Dirs{Home: home}, errors.New("finding your folders: neither HOME nor XDG_CONFIG_HOME and XDG_STATE_HOME are set")
	}
	defaults := map[string][2]string{
		"windows": {"AppData/Roaming", "AppData/Local"},
		"darwin":  {"Library/Application Support", "Library/Application Support"},
	}
	base, ok := defaults[goos]
	if !ok {
		base = [2]string{".config", ".local/state"}
	}
	if config == "" {
		config = filepath.Join(home, filepath.FromSlash(base[0]))
	}
	if state == "" {
		state = filepath.Join(home, filepath.FromSlash(base[1]))
	}
	return Dirs{
		Home:   home,
		Config: filepath.Join(config, "agentflow"),
		State:  filepath.Join(state, "agentflow"),
	}, nil
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
