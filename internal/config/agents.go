package config

import (
	"encoding/json"
	"maps"
	"slices"

	"agentflow/internal/price"
)

// builtIn lists the agents that need no table [agent.NAME].
var builtIn = []string{"claude", "codex", "gemini", "opencode", "command"}

// Codex holds the settings for starting Codex.
type Codex struct {
	Sandbox string
	Model   string // empty means Codex's choice
	Args    []string
}

// Gemini holds the settings for starting the Gemini CLI.
type Gemini struct {
	ApprovalMode string
	Model        string // empty means the CLI's choice
	Args         []string
}

// Opencode holds the settings for starting opencode.
type Opencode struct {
	Permission string
	Model      string // empty means opencode's choice
	Args       []string
}

// agentKeys returns the settings of the agents besides Claude, and of the
// prices of models.
func agentKeys(c *Config) []key {
	g := group{user: true, strict: true}
	own := group{user: true, own: true, strict: true}
	list := []key{
		g.text("agent.codex.sandbox", &c.Codex.Sandbox, "what commands may write: `read-only`; `workspace-write`, the working tree, git's folder and temporary folders, without a network; or `danger-full-access`",
			oneOf("read-only", "workspace-write", "danger-full-access")),
		g.text("agent.codex.model", &c.Codex.Model, "the model; empty: that of Codex's own settings, which AgentFlow does not learn"),
		g.list("agent.codex.args", &c.Codex.Args, "further arguments of `codex exec`"),
		g.text("agent.gemini.approval_mode", &c.Gemini.ApprovalMode, "actions that need no approval: `default`, nothing that changes something; `auto_edit`, file tools; `yolo`, everything; or `plan`",
			oneOf("default", "auto_edit", "yolo", "plan")),
		g.text("agent.gemini.model", &c.Gemini.Model, "the model; empty: the CLI's own choice"),
		g.list("agent.gemini.args", &c.Gemini.Args, "further arguments of the CLI"),
		g.text("agent.opencode.permission", &c.Opencode.Permission, "what it may do: `read-only`; `edit`, change files of the working tree; `full`, everything; or a JSON object as opencode's own setting `permission`. What it would ask for is denied", isPermission),
		g.text("agent.opencode.model", &c.Opencode.Model, "the model, as `provider/model`; empty: opencode's own choice"),
		g.list("agent.opencode.args", &c.Opencode.Args, "further arguments of `opencode run`"),
	}
	for _, model := range slices.Sorted(maps.Keys(c.Prices)) {
		p, prefix := c.Prices[model], "agent.prices."+model+"."
		list = append(list,
			own.number(prefix+"input", &p.Input, "US dollars for a million tokens that are sent and were not cached", 0, endless),
			own.number(prefix+"output", &p.Output, "US dollars for a million tokens of answers", 0, endless),
			own.number(prefix+"cached", &p.Cached, "US dollars for a million tokens that are sent and were cached; 0: as the others", 0, endless))
	}
	return list
}

// isPermission checks that opencode's permission is one of three words or a
// JSON object.
func isPermission(s string) error {
	var object map[string]any
	if json.Unmarshal([]byte(s), &object) == nil && object != nil {
		return nil
	}
	return oneOf("read-only", "edit", "full", "a JSON object")(s)
}

// declarePrice creates [agent.prices.MODEL] when a key names it.
func (c *Config) declarePrice(model, field string) {
	if !slices.Contains([]string{"input", "output", "cached"}, field) || model == "" {
		return
	}
	if _, known := c.Prices[model]; !known {
		c.Prices[model] = &price.Price{}
		c.byName = nil
	}
}

// PriceList returns the user's prices of models.
func (c *Config) PriceList() price.List {
	list := price.List{}
	for model, p := range c.Prices {
		list[model] = *p
	}
	return list
}
