// Package connect decides the content of coding agents' settings files that lets their sessions
// remember: hooks, the MCP server and a plugin of Claude. It is pure: files are texts here, and
// only Home's functions access the system.
//
// An addition to a file leaves every other byte unchanged, including comments and unusual
// formatting. Its removal does not change the text of others. A file that cannot be parsed is
// an error and stays as it is.
//
// Not guaranteed: the white space of an object or list that was empty before is restored only
// with the text from before.
//
// It is at the top level, and not below app, because it decides only contents. Only app reads
// and writes the files.
package connect

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
)

// Agents lists the agents that can be connected, in display order.
var Agents = []string{"claude", "codex", "gemini", "opencode"}

// Descriptions of our items in a settings file, for people.
const (
	aboutHooks = "hooks, which remember sessions and give memory to prompts"
	aboutTools = "the tools of memory"
)

// Home is the environment of the user who owns the settings.
type Home struct {
	Getenv  func(string) string    // reads a variable of the environment
	Dir     string                 // the user's home folder, absolute
	Program string                 // the path of agentflow, absolute
	Global  string                 // the MEMORY.md of the user's memory; empty: there is none
	Exists  func(path string) bool // reports whether there is such a file
}

// folder returns the value of a variable if that is absolute, otherwise a folder below the
// home.
func (h Home) folder(variable string, below ...string) string {
	if dir := h.Getenv(variable); filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(append([]string{h.Dir}, below...)...)
}

// ClaudeSettings returns the path of Claude's settings for the user.
func (h Home) ClaudeSettings() string {
	return filepath.Join(h.folder("CLAUDE_CONFIG_DIR", ".claude"), "settings.json")
}

// Files returns the settings files of an agent, with our items. For Claude it returns those of
// a connection without the plugin.
func (h Home) Files(agent string) []File {
	switch agent {
	case "claude":
		return []File{
			{Path: h.ClaudeSettings(), About: aboutHooks, Items: h.hooks("claude"), Strict: true},
			{Path: filepath.Join(h.folder("CLAUDE_CONFIG_DIR"), ".claude.json"), About: aboutTools, Strict: true,
				Items: []Item{h.server("mcpServers", map[string]any{"type": "stdio", "command": h.Program, "args": []string{"mcp"}, "env": map[string]any{}})}},
		}
	case "codex":
		dir := h.folder("CODEX_HOME", ".codex")
		return []File{
			{Path: filepath.Join(dir, "hooks.json"), About: aboutHooks, Items: h.hooks("codex"), Strict: true},
			{Path: filepath.Join(dir, "config.toml"), About: aboutTools, Table: &Table{Path: []string{"mcp_servers", "agentflow"}, Lines: []string{"command = " + quoted(h.Program), `args = ["mcp"]`}, Ours: startsServer}},
		}
	case "gemini":
		dir := filepath.Join(h.folder("GEMINI_CLI_HOME"), ".gemini")
		return []File{{Path: filepath.Join(dir, "settings.json"), About: aboutTools,
			Items: []Item{h.server("mcpServers", map[string]any{"command": h.Program, "args": []string{"mcp"}, "trust": true})}}}
	case "opencode":
		return []File{h.opencode()}
	}
	return nil
}

// opencode returns opencode's settings file: the existing one, with or without comments.
func (h Home) opencode() File {
	dir := filepath.Join(h.folder("XDG_CONFIG_HOME", ".config"), "opencode")
	f := File{Path: filepath.Join(dir, "opencode.json"), About: aboutTools,
		Items: []Item{h.server("mcp", map[string]any{"type": "local", "command": []string{h.Program, "mcp"}, "enabled": true})}}
	if other := filepath.Join(dir, "opencode.jsonc"); !h.Exists(f.Path) && h.Exists(other) {
		f.Path = other
	}
	if h.Global != "" {
		f.Items = append(f.Items, Item{Path: []string{"instructions"}, List: true, Value: filepath.ToSlash(h.Global), Ours: func(v any) bool { return v == filepath.ToSlash(h.Global) }})
	}
	return f
}

// server returns the item for memory's MCP server below a key of settings.
func (h Home) server(key string, value map[string]any) Item {
	return Item{Path: []string{key, "agentflow"}, Value: value, Ours: func(v any) bool {
		object, ok := v.(map[string]any)
		return ok && startsServer(object)
	}}
}

// startsServer reports whether an MCP server is one of ours, possibly with another path of the
// binary: its only argument is mcp.
func startsServer(server map[string]any) bool {
	words, _ := server["command"].([]any)
	if args, ok := server["args"].([]any); ok && len(words) == 0 {
		words = append([]any{server["command"]}, args...)
	}
	return len(words) == 2 && words[1] == "mcp"
}

// File describes our items in a settings file.
type File struct {
	Path   string
	About  string // a short description of our items
	Items  []Item // of JSON
	Strict bool   // the agent's parser accepts neither comments nor trailing commas
	Table  *Table // for TOML, instead of Items
}

// Has reports whether a text has all of our items.
func (f File) Has(text []byte) bool {
	if f.Table != nil {
		return hasTable(text, *f.Table)
	}
	return f.check(text) == nil && hasItems(text, f.Items)
}

// Add returns the text, which has no items of ours, with all of them.
func (f File) Add(text []byte) ([]byte, error) {
	if f.Table != nil {
		return addTable(text, *f.Table)
	}
	if err := f.check(text); err != nil {
		return nil, err
	}
	with, err := addItems(text, f.Items)
	if err == nil && !hasItems(with, f.Items) {
		err = errors.New("it is written in a way that only a person can change")
	}
	return with, err
}

// Cut returns the text without our items. before is the earlier content of the file, or nil if
// that is unknown.
func (f File) Cut(text, before []byte) ([]byte, error) {
	if f.Table != nil {
		return cutTable(text, *f.Table)
	}
	return cutItems(text, f.Items, before)
}

func (f File) check(text []byte) error {
	body := bytes.TrimSpace(bytes.TrimPrefix(text, byteOrderMark))
	if _, err := parse(text); f.Strict && err == nil && len(body) > 0 && !json.Valid(body) {
		return errors.New("it holds comments or last commas, for which the agent itself passes the whole file over")
	}
	return nil
}

// Program returns the path of agentflow in a text, or "" if there is none.
func (f File) Program(text []byte) string {
	if f.Table != nil {
		tree, err := parseTOML(text)
		if err != nil {
			return ""
		}
		program, _ := f.Table.in(tree)["command"].(string)
		return program
	}
	root, err := parse(text)
	if err != nil || root == nil {
		return ""
	}
	for _, item := range f.Items {
		at, err := root.find(item.Path)
		if err != nil || at == nil {
			continue
		}
		for _, have := range item.candidates(at, text) {
			for _, hook := range item.inner(have) {
				if program := hookProgram(hook); program != "" {
					return program
				}
			}
			if program := programOf(have); program != "" && item.Ours(have) {
				return program
			}
		}
	}
	return ""
}

// programOf returns the path of agentflow that our server runs.
func programOf(v any) string {
	object, _ := v.(map[string]any)
	if list, ok := object["command"].([]any); ok && len(list) > 0 {
		program, _ := list[0].(string)
		return program
	}
	program, _ := object["command"].(string)
	return program
}

// PluginFile describes the entries of Claude's settings for a plugin from a marketplace that is
// a folder.
func (h Home) PluginFile(marketplace string) File {
	ofFolder := func(v any) bool {
		object, _ := v.(map[string]any)
		source, _ := object["source"].(map[string]any)
		return source["source"] == "directory"
	}
	return File{Path: h.ClaudeSettings(), About: "a plugin with hooks and the tools of memory", Strict: true, Items: []Item{
		{Path: []string{"extraKnownMarketplaces", MarketplaceName}, Ours: ofFolder,
			Value: map[string]any{"source": map[string]any{"source": "directory", "path": marketplace}}},
		{Path: []string{"enabledPlugins", PluginID}, Ours: func(any) bool { return true }, Value: true},
	}}
}
