// Package agentfiles finds the settings files and notes that agents read by themselves.
package agentfiles

import (
	"cmp"
	"path/filepath"
	"slices"

	"agentflow/app"
	"agentflow/internal/agentdocs"
	"agentflow/internal/connect"
	"agentflow/internal/gitdir"
	"agentflow/internal/safefile"
)

// AutoPrefix begins the paths in Claude's auto memory.
const AutoPrefix = agentdocs.AutoMemory + "/"

// Place returns the folders in which an agent of the caller works.
func Place(s *app.Repo) agentdocs.Place {
	auto := autoSettings(s)
	return agentdocs.Place{
		Home: s.Dirs.Home, Claude: cmp.Or(s.Getenv("CLAUDE_CONFIG_DIR"), filepath.Join(s.Dirs.Home, ".claude")),
		Top: gitdir.Real(app.Top(s)), Main: gitdir.Real(filepath.Dir(s.Root)), Dir: gitdir.Real(s.Dir),
		Auto: auto.Folder, AutoOff: auto.Off,
	}
}

// autoSettings reads what Claude's settings say about its auto memory.
func autoSettings(s *app.Repo) connect.AutoMemory {
	home := connect.Home{Getenv: s.Getenv, Dir: s.Dirs.Home}
	return home.AutoMemory(ReadLevels(home, "claude", app.Top(s)), func() bool {
		state, err := safefile.Read(home.ClaudeState(), safefile.AnyLink, MaxSize)
		return err == nil && connect.ClaudeTrusts(state, filepath.Dir(s.Root))
	})
}

// WantsAuto reports whether the settings ask for Claude's auto memory.
func WantsAuto(s *app.Repo) bool {
	return !s.IsGlobal() && slices.Contains(s.Settings.Index.Include, agentdocs.AutoMemory)
}

// AutoFolder returns the folder of Claude's auto memory. It returns the empty string if the
// settings do not ask for it or there is no such folder.
func AutoFolder(s *app.Repo) string {
	if !WantsAuto(s) {
		return ""
	}
	return Place(s).AutoFolder()
}
