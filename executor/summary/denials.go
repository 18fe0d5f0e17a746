package summary

import (
	"path"
	"regexp"
	"strings"
	"sync"

	"agentflow/executor/agent"
)

// maxReason limits the user's reason in a denial's line, in runes.
const maxReason = 200

const saidWhyStart = `: the user said "`

// saidWhy returns the end of a denial's line.
func saidWhy(reason string) string {
	if reason = strings.Join(strings.Fields(reason), " "); reason == "" {
		return ""
	}
	return saidWhyStart + agent.Clip(reason, maxReason) + `"`
}

// isOwn reports whether a denial is for a tool of our server, or for a shell command that runs
// only our program.
func isOwn(denied agent.Event) bool {
	if ownTool().MatchString(denied.Tool) {
		return true
	}
	words := strings.Fields(strings.TrimPrefix(denied.Text, denied.Tool))
	return len(words) > 0 && path.Base(words[0]) == "agentflow" && !strings.ContainsAny(denied.Text, ";&|`$\n")
}

var ownTool = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(mcp__(plugin_agentflow_)?)?agentflow(__|[._])`) })

// mcpTool matches the name that Claude gives to a tool of a server, or of the server of a plugin.
var mcpTool = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^mcp__(?:plugin_)?(.+?)__([A-Za-z0-9_-]+)`) })

// ReadableDenials returns denials as the entry of a session has them: "server: tool" for the tool of a server, and
// nothing for our own tools and for plans, unless the user said why: the CLI also reports a plan as refused if the user
// accepts it and lets a new session carry it out. The entry of a run keeps the names, for rules that allow them.
func ReadableDenials(denials []string) (list []string) {
	for _, denied := range denials {
		tool, _, _ := strings.Cut(denied, " ")
		because := strings.Contains(denied, saidWhyStart)
		plan := strings.TrimSuffix(tool, ":") == plans
		if !because && (plan || isOwn(agent.Event{Tool: tool, Text: denied})) {
			continue
		}
		if plan {
			denied = "the plan" + denied[len(plans):]
		}
		if m := mcpTool().FindStringSubmatch(denied); m != nil {
			denied = serverName(m[1]) + ": " + m[2] + denied[len(m[0]):]
		}
		list = append(list, denied)
	}
	return list
}

// serverName returns the name of a server once, where the plugin that it comes from has the same name.
func serverName(name string) string {
	if half := len(name) / 2; len(name)%2 == 1 && name[:half] == name[half+1:] && name[half] == '_' {
		return name[:half]
	}
	return name
}
