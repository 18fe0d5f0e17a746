package connect

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"strings"
)

// AutoMemory is what Claude's settings say about its auto memory.
type AutoMemory struct {
	Off    bool   // Claude neither reads nor writes it
	Folder string // absolute; empty: the one that Claude names after the project
}

const noAutoMemory = "CLAUDE_CODE_DISABLE_AUTO_MEMORY"

// autoSettings are the settings of one file.
type autoSettings struct {
	Enabled *bool             `json:"autoMemoryEnabled"`
	Folder  *string           `json:"autoMemoryDirectory"`
	Env     map[string]string `json:"env"`
}

// AutoMemory reads the settings of Claude's auto memory as the CLI 2.1.197 does. levels are those of
// Claude. A file of the project can choose the folder only if the user trusts the project.
func (h Home) AutoMemory(levels []Level, trusted func() bool) (auto AutoMemory) {
	var enabled *bool
	var folder *string
	variable := h.Getenv(noAutoMemory)
	fromFile := ""
	for _, l := range levels {
		var s autoSettings
		if json.Unmarshal(l.Text, &s) != nil {
			continue
		}
		enabled, fromFile = cmp.Or(enabled, s.Enabled), cmp.Or(fromFile, s.Env[noAutoMemory])
		if folder == nil && s.Folder != nil && (!l.Project || trusted()) {
			folder = s.Folder
		}
	}
	off, said := isTrue(cmp.Or(fromFile, variable))
	auto.Off = said && off || !said && enabled != nil && !*enabled
	if folder != nil {
		auto.Folder = h.autoFolder(*folder)
	}
	return auto
}

// isTrue reads a variable as Claude does. ok is false for other words.
func isTrue(value string) (is, ok bool) {
	switch strings.ToLower(strings.TrimSpace(value)) {
	case "1", "true", "yes", "on":
		return true, true
	case "0", "false", "no", "off":
		return false, true
	}
	return false, false
}

// autoFolder returns the folder that a setting names, or "" for one that Claude refuses: a relative
// one, the root, the home itself, and a share of a network.
func (h Home) autoFolder(name string) string {
	if rest, below := strings.CutPrefix(strings.ReplaceAll(name, `\`, "/"), "~/"); below {
		if rest = filepath.FromSlash(rest); !filepath.IsLocal(rest) || filepath.Clean(rest) == "." {
			return ""
		}
		name = filepath.Join(h.Dir, rest)
	}
	if !filepath.IsAbs(name) || strings.HasPrefix(name, "//") || strings.HasPrefix(name, `\\`) || strings.ContainsRune(name, 0) {
		return ""
	}
	if name = filepath.Clean(name); len(name) < 3 || name == filepath.VolumeName(name)+string(filepath.Separator) {
		return ""
	}
	return name
}

// ClaudeState returns the path of the file in which Claude notes the projects that the user trusts.
func (h Home) ClaudeState() string {
	return filepath.Join(h.folder("CLAUDE_CONFIG_DIR"), ".claude.json")
}

// ClaudeTrusts reports whether the text of ClaudeState says that the user trusts a project, or a
// folder above it.
func ClaudeTrusts(state []byte, project string) bool {
	var s struct {
		Projects map[string]struct {
			HasTrustDialogAccepted bool `json:"hasTrustDialogAccepted"`
		} `json:"projects"`
	}
	if json.Unmarshal(state, &s) != nil || project == "" {
		return false
	}
	for dir := project; ; dir = filepath.Dir(dir) {
		if s.Projects[filepath.ToSlash(dir)].HasTrustDialogAccepted || s.Projects[dir].HasTrustDialogAccepted {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}
