package connect

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestSwitchedOff: files are named as far as Levels distinguishes them.
func TestSwitchedOff(t *testing.T) {
	const home, project = "/home/u", "/work/p"
	for name, c := range map[string]struct {
		agent string
		files map[string]string // by the end of their path
		want  string            // path: setting
	}{
		"nothing":                        {"claude", nil, ""},
		"the user's":                     {"claude", map[string]string{"u/.claude/settings.json": `{"disableAllHooks": true}`}, "u/.claude/settings.json: \"disableAllHooks\": true"},
		"the project's":                  {"claude", map[string]string{"p/.claude/settings.json": `{"disableAllHooks": true}`}, "p/.claude/settings.json: \"disableAllHooks\": true"},
		"on again for one person":        {"claude", map[string]string{"p/.claude/settings.json": `{"disableAllHooks": true}`, "settings.local.json": `{"disableAllHooks": false}`}, ""},
		"off for one person":             {"claude", map[string]string{"settings.local.json": `{"disableAllHooks": true}`, "u/.claude/settings.json": `{"disableAllHooks": false}`}, "settings.local.json: \"disableAllHooks\": true"},
		"a file that Claude passes over": {"claude", map[string]string{"u/.claude/settings.json": `{"disableAllHooks": true, // no`}, ""},
		"managed":                        {"claude", map[string]string{"managed-settings.json": `{"allowManagedHooksOnly": true}`}, "managed-settings.json: \"allowManagedHooksOnly\": true"},
		"no setting of a user's":         {"claude", map[string]string{"u/.claude/settings.json": `{"allowManagedHooksOnly": true}`}, ""},
		"codex":                          {"codex", map[string]string{"u/.codex/config.toml": "[features]\nhooks = false\n"}, "u/.codex/config.toml: [features] hooks = false"},
		"codex, on":                      {"codex", map[string]string{"u/.codex/config.toml": "[features]\nhooks = true\n", "etc/codex/config.toml": "[features]\nhooks = false\n"}, ""},
		"codex, older":                   {"codex", map[string]string{"u/.codex/config.toml": "[features]\ncodex_hooks = false\n"}, "u/.codex/config.toml: [features] codex_hooks = false"},
		"codex, of a profile":            {"codex", map[string]string{"u/.codex/config.toml": "profile = \"x\"\n[profiles.x.features]\nhooks = false\n"}, "u/.codex/config.toml: [profiles.x.features] hooks = false"},
		"codex, another profile":         {"codex", map[string]string{"u/.codex/config.toml": "[profiles.x.features]\nhooks = false\n"}, ""},
		"codex, a project":               {"codex", map[string]string{"p/.codex/config.toml": "[features]\nhooks = false\n"}, ""},
		"codex, a trusted project": {"codex", map[string]string{"p/.codex/config.toml": "[features]\nhooks = false\n",
			"u/.codex/config.toml": "[projects.\"" + project + "\"]\ntrust_level = \"trusted\"\n"}, "p/.codex/config.toml: [features] hooks = false"},
		"codex, required":  {"codex", map[string]string{"requirements.toml": "[features]\nhooks = false\n"}, "requirements.toml: [features] hooks = false"},
		"gemini, excluded": {"gemini", map[string]string{"u/.gemini/settings.json": `{"mcp": {"excluded": ["agentflow"]}} // so`}, "u/.gemini/settings.json: \"agentflow\" in mcp.excluded"},
		"gemini, others":   {"gemini", map[string]string{"p/.gemini/settings.json": `{"mcp": {"allowed": ["x"]}}`}, "p/.gemini/settings.json: mcp.allowed without \"agentflow\""},
		"gemini, allowed":  {"gemini", map[string]string{"p/.gemini/settings.json": `{"mcp": {"allowed": ["agentflow"], "excluded": ["x"]}}`}, ""},
		"opencode":         {"opencode", map[string]string{"p/opencode.json": `{"mcp": {"agentflow": {"enabled": false}}}`}, "p/opencode.json: \"enabled\": false for the server agentflow"},
	} {
		h := Home{Getenv: func(string) string { return "" }, Dir: home, Exists: func(string) bool { return false }}
		levels := h.Levels(c.agent, project, "linux")
		used := 0
		for i := range levels {
			for end, text := range c.files {
				if strings.HasSuffix(filepath.ToSlash(levels[i].Path), "/"+end) {
					levels[i].Text = []byte(text)
					used++
				}
			}
		}
		if used != len(c.files) {
			t.Errorf("%s: %d of %d files are read", name, used, len(c.files))
		}
		found, is := SwitchedOff(c.agent, project, levels)
		path, setting, _ := strings.Cut(c.want, ": ")
		if is != (c.want != "") || is && (!strings.HasSuffix(filepath.ToSlash(found.Path), "/"+path) || found.Setting != setting || found.Remedy == "") {
			t.Errorf("%s: %+v, %v", name, found, is)
		}
	}
}
