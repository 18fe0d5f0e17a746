package connect

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"agentflow/app"
	"agentflow/app/kept"
	"agentflow/internal/config"
	"agentflow/internal/connect"
	"agentflow/internal/redact"
	"agentflow/memory"
)

// connector finds and changes the agents' settings.
type connector struct {
	Operation *app.Operation
	dirs      config.Dirs
	home      connect.Home
	redact    *redact.Redactor
}

func newConnector(o *app.Operation) (*connector, error) {
	dirs, err := o.Dirs()
	if err != nil {
		return nil, err
	}
	if dirs.Home == "" {
		return nil, errors.New("finding the agents' settings: HOME is not set")
	}
	red, err := app.Redactor(o, config.Defaults())
	if err != nil {
		return nil, err
	}
	return &connector{Operation: o, dirs: dirs, redact: red, home: connect.Home{
		Getenv: o.Getenv, Dir: dirs.Home, Program: lastingProgram(o), Global: ownMemoryFile(dirs),
		Exists: func(path string) bool { _, err := os.Stat(path); return err == nil },
	}}, nil
}

// ownMemoryFile returns the path of the user's own MEMORY.md, or the empty string if there is none.
func ownMemoryFile(dirs config.Dirs) string {
	path := filepath.Join(dirs.Data, "memory", memory.LastingFile)
	if _, err := os.Stat(path); err != nil || dirs.Data == "" {
		return ""
	}
	return path
}

// lastingProgram returns the path on PATH that leads to this program, which stays valid after an
// update. Without one it returns the program's own path.
func lastingProgram(o *app.Operation) string {
	for _, dir := range filepath.SplitList(o.Getenv("PATH")) {
		path := filepath.Join(dir, filepath.Base(o.Program))
		if filepath.IsAbs(path) && sameProgram(path, o.Program) {
			return path
		}
	}
	return o.Program
}

func sameProgram(a, b string) bool {
	one, err := os.Stat(a)
	two, err2 := os.Stat(b)
	return err == nil && err2 == nil && os.SameFile(one, two)
}

// installed returns the path of an agent's program, on PATH or in the folders that installers use.
// It returns the empty string if there is none.
func (c *connector) installed(agent string) string {
	dirs := filepath.SplitList(c.Operation.Getenv("PATH"))
	for _, usual := range []string{".local/bin", ".claude/local", ".opencode/bin", ".bun/bin", ".npm-global/bin", ".volta/bin"} {
		dirs = append(dirs, filepath.Join(c.dirs.Home, filepath.FromSlash(usual)))
	}
	if runtime.GOOS != "windows" {
		dirs = append(dirs, "/usr/local/bin", "/opt/homebrew/bin")
	}
	for _, dir := range dirs {
		if !filepath.IsAbs(dir) {
			continue
		}
		if path, err := exec.LookPath(filepath.Join(dir, agent)); err == nil {
			return path
		}
	}
	return ""
}

// chosen returns the agents in names, or without names those that otherwise accepts, in a fixed
// order.
func (c *connector) chosen(names []string, otherwise func(agent string) bool) ([]string, error) {
	for _, name := range names {
		if !slices.Contains(connect.Agents, name) {
			return nil, &app.Error{Kind: app.KindUsage, Err: fmt.Errorf("there is no agent %q to connect", name), Hint: "the agents are " + strings.Join(connect.Agents, ", ")}
		}
	}
	return slices.DeleteFunc(slices.Clone(connect.Agents), func(agent string) bool {
		if len(names) > 0 {
			return !slices.Contains(names, agent)
		}
		return !otherwise(agent)
	}), nil
}

// files returns the files by which an agent was connected: where its settings are now, and where
// they were when connect recorded them.
func (c *connector) files(agent string, k *kept.Kept) []connect.File {
	files := c.home.Files(agent)
	for _, old := range k.Files {
		at := slices.IndexFunc(files, func(f connect.File) bool { return f.Path == old.Path })
		like := slices.IndexFunc(files, func(f connect.File) bool { return filepath.Base(f.Path) == filepath.Base(old.Path) })
		if at < 0 && like >= 0 {
			f := files[like]
			f.Path = old.Path
			files = append(files, f)
		}
	}
	return files
}

// toCut returns the files to remove our lines from: the agent's current settings, which
// CLAUDE_CONFIG_DIR and the like locate. If these hold nothing of ours, it also returns the files
// that connect wrote before.
func (c *connector) toCut(agent string, k *kept.Kept) []connect.File {
	if files := c.home.Files(agent); slices.ContainsFunc(files, holdsOurs) {
		return files
	}
	return c.files(agent, k)
}

// holdsOurs reports whether a settings file holds lines of ours.
func holdsOurs(f connect.File) bool {
	now, err := kept.ReadSettingsText(f.Path)
	if err != nil || !now.Is {
		return false
	}
	cut, err := f.Cut(now.Text, nil)
	return err == nil && string(cut) != string(now.Text)
}

// stillOurs returns the records of the files that still hold lines of ours.
func (c *connector) stillOurs(agent string, k *kept.Kept) []kept.KeptFile {
	plugin := c.pluginFile()
	return slices.DeleteFunc(slices.Clone(k.Files), func(old kept.KeptFile) bool {
		plugin.Path = old.Path
		if isCommandFile(old.Path) {
			now, err := kept.ReadSettingsText(old.Path)
			return err != nil || !now.Is || !old.Untouched(now.Text)
		}
		at := func(f connect.File) bool { return f.Path == old.Path && holdsOurs(f) }
		return !slices.ContainsFunc(c.files(agent, k), at) && (agent != "claude" || !holdsOurs(plugin))
	})
}

// wayOf returns how an agent is connected in its current settings, or the empty string if it is
// not.
func (c *connector) wayOf(agent string) string {
	if some, _ := c.pluginState(); agent == "claude" && some {
		return "plugin"
	}
	switch {
	case !slices.ContainsFunc(c.home.Files(agent), holdsOurs):
		return ""
	case agent == "claude", agent == "codex":
		return "hooks"
	}
	return "tools"
}
