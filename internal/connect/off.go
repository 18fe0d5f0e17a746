package connect

import (
	"encoding/json"
	"path/filepath"
	"slices"
)

// Level is a settings file that an agent reads.
type Level struct {
	Path    string
	Managed bool   // set by an administrator of the machine
	Project bool   // of the folder that the agent works in
	Text    []byte // the caller reads it
}

// Off is a setting that keeps an agent from running AgentFlow's hooks or tools.
type Off struct {
	Path    string // of the settings file
	Setting string // such as "disableAllHooks": true
	Remedy  string // how to switch it on again
}

// managed has the folder of each agent's managed settings, by the name of a system.
var managed = map[string]map[string]string{
	"claude": {"linux": "/etc/claude-code", "darwin": "/Library/Application Support/ClaudeCode", "windows": `C:\Program Files\ClaudeCode`},
	"codex":  {"linux": "/etc/codex", "darwin": "/etc/codex"},
	"gemini": {"linux": "/etc/gemini-cli", "darwin": "/Library/Application Support/GeminiCli", "windows": `C:\ProgramData\gemini-cli`},
}

// Levels returns the settings files that decide whether an agent runs hooks and tools in a
// project (a folder; empty: in none), by precedence, highest first.
func (h Home) Levels(agent, project, system string) (levels []Level) {
	dir := managed[agent][system]
	add := func(dir, name string, l Level) {
		if dir != "" {
			l.Path = filepath.Join(dir, filepath.FromSlash(name))
			levels = append(levels, l)
		}
	}
	switch agent {
	case "claude":
		add(dir, "managed-settings.json", Level{Managed: true})
		add(project, ".claude/settings.local.json", Level{Project: true})
		add(project, ".claude/settings.json", Level{Project: true})
		levels = append(levels, Level{Path: h.ClaudeSettings()})
	case "codex":
		add(dir, "requirements.toml", Level{Managed: true})
		add(project, ".codex/config.toml", Level{Project: true})
		add(h.folder("CODEX_HOME", ".codex"), "config.toml", Level{})
		add(dir, "config.toml", Level{})
	case "gemini":
		add(dir, "settings.json", Level{Managed: true})
		add(project, ".gemini/settings.json", Level{Project: true})
		add(h.Files(agent)[0].Path, "", Level{})
	case "opencode":
		add(project, "opencode.json", Level{Project: true})
		add(h.opencode().Path, "", Level{})
	}
	return levels
}

// SwitchedOff returns the setting that keeps an agent from running AgentFlow's hooks or tools
// in a project. Like the agent, it ignores a file that cannot be parsed.
func SwitchedOff(agent, project string, levels []Level) (Off, bool) {
	switch agent {
	case "claude":
		return claudeOff(levels)
	case "codex":
		return codexOff(project, levels)
	case "gemini":
		return geminiOff(levels)
	}
	return opencodeOff(levels)
}

// off returns the setting of a file with its remedy.
func off(l Level, setting, remedy string) (Off, bool) {
	if l.Managed {
		remedy = "those who manage this machine can change it"
	}
	return Off{l.Path, setting, remedy}, true
}

// claudeOff uses the first file that has the setting. Managed settings may only allow managed
// hooks.
func claudeOff(levels []Level) (Off, bool) {
	for _, l := range levels {
		var s struct {
			DisableAllHooks       *bool
			AllowManagedHooksOnly bool
		}
		if json.Unmarshal(l.Text, &s) != nil {
			continue
		}
		switch {
		case s.DisableAllHooks != nil && *s.DisableAllHooks:
			return off(l, `"disableAllHooks": true`, "remove that line")
		case l.Managed && s.AllowManagedHooksOnly:
			return off(l, `"allowManagedHooksOnly": true`, "")
		case s.DisableAllHooks != nil:
			return Off{}, false
		}
	}
	return Off{}, false
}

// codexOff uses the first file that has the setting. A project's file only counts if the user's
// file trusts the project.
func codexOff(project string, levels []Level) (Off, bool) {
	trees := make([]map[string]any, len(levels))
	trusted := false
	for i, l := range levels {
		trees[i], _ = parseTOML(l.Text)
		trusted = trusted || !l.Project && at(trees[i], "projects", project, "trust_level") == "trusted"
	}
	for i, l := range levels {
		if l.Project && !trusted {
			continue
		}
		if l.Managed && at(trees[i], "allow_managed_hooks_only") == true {
			return off(l, "allow_managed_hooks_only = true", "")
		}
		if path, on, has := codexHooks(trees[i]); has && !on {
			return off(l, "["+path[0]+"] "+path[1]+" = false", "set it to true")
		} else if has && !l.Managed {
			return Off{}, false
		}
	}
	return Off{}, false
}

// codexHooks returns the setting of hooks in a file of Codex: in its profile, or for all.
func codexHooks(tree map[string]any) (path [2]string, on, has bool) {
	profile, _ := at(tree, "profile").(string)
	for _, name := range []string{"hooks", "codex_hooks"} { // the second is the older one
		if on, has = at(tree, "profiles", profile, "features", name).(bool); has {
			return [2]string{"profiles." + profile + ".features", name}, on, true
		}
		if on, has = at(tree, "features", name).(bool); has {
			return [2]string{"features", name}, on, true
		}
	}
	return path, false, false
}

// geminiOff checks each file, because each may exclude servers.
func geminiOff(levels []Level) (Off, bool) {
	for _, l := range levels {
		tree := jsonObject(l.Text)
		excluded, _ := at(tree, "mcp", "excluded").([]any)
		allowed, limited := at(tree, "mcp", "allowed").([]any)
		switch {
		case slices.Contains(excluded, any("agentflow")):
			return off(l, `"agentflow" in mcp.excluded`, "remove it from that list")
		case limited && !slices.Contains(allowed, any("agentflow")):
			return off(l, "mcp.allowed without \"agentflow\"", "add it to that list")
		}
	}
	return Off{}, false
}

func opencodeOff(levels []Level) (Off, bool) {
	for _, l := range levels {
		if on, has := at(jsonObject(l.Text), "mcp", "agentflow", "enabled").(bool); has && !on {
			return off(l, `"enabled": false for the server agentflow`, "set it to true")
		} else if has {
			return Off{}, false
		}
	}
	return Off{}, false
}

// jsonObject returns the object of a text, which may have comments, or nil if there is none.
func jsonObject(text []byte) map[string]any {
	root, err := parse(text)
	if err != nil || root == nil {
		return nil
	}
	object, _ := root.decoded(text).(map[string]any)
	return object
}

// at returns the value below keys of nested objects, or nil if there is none.
func at(tree map[string]any, keys ...string) (value any) {
	value = tree
	for _, key := range keys {
		object, _ := value.(map[string]any)
		value = object[key]
	}
	return value
}
