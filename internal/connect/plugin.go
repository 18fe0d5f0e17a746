package connect

// The plugin of Claude Code, and the marketplace from which it is installed.
const (
	PluginName      = "agentflow"
	MarketplaceName = "agentflow"
	PluginID        = PluginName + "@" + MarketplaceName
)

// pluginVersion increases when the content of the plugin changes. It has little effect:
// Claude runs the current files of a marketplace that is a folder.
const pluginVersion = "1.1.0"

// Plugin returns the marketplace folder with the plugin: texts by their paths in it, '/'
// separated.
func (h Home) Plugin() map[string]string {
	whole := style{lines: true, spaced: true, newline: "\n", indent: "  "}
	hooks := map[string]any{}
	for _, t := range hookTimes {
		hooks[t.event] = []any{hookGroup(h.Program, "claude", t.seconds)}
	}
	const about = "Remembers sessions in the repository's own Markdown, and recalls them"
	author := map[string]any{"name": "AgentFlow"}
	files := map[string]any{
		".claude-plugin/marketplace.json": map[string]any{"name": MarketplaceName, "owner": author, "metadata": map[string]any{"description": about},
			"plugins": []any{map[string]any{"name": PluginName, "source": "./" + PluginName, "description": about}}},
		PluginName + "/.claude-plugin/plugin.json": map[string]any{"name": PluginName, "version": pluginVersion, "description": about, "author": author},
		PluginName + "/hooks/hooks.json":           map[string]any{"description": about, "hooks": hooks},
		PluginName + "/.mcp.json":                  map[string]any{"mcpServers": map[string]any{"agentflow": map[string]any{"command": h.Program, "args": []string{"mcp"}}}},
	}
	out := map[string]string{}
	for path, value := range files {
		out[path] = whole.write(value, "") + "\n"
	}
	return out
}

// PluginHooks names the file with the plugin's hooks, '/' separated.
const PluginHooks = PluginName + "/hooks/hooks.json"

// PluginProgram returns the program that the plugin's hooks run.
func (h Home) PluginProgram(hooksFile []byte) string {
	return File{Items: h.hooks("claude")}.Program(hooksFile)
}
