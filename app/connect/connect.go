// Package connect connects agents to memory: it adds the plugin, the hooks and the tools to their settings, and
// removes them again. The pure package connect decides the contents of the files. The package also checks whether an
// agent is logged in (CheckLogin, Ready).
//
// PlanConnect and PlanDisconnect plan and write nothing. ApplyConnect makes the changes. ConnectStatus reports how
// each agent is connected, and Remembering lists the agents with sessions that memory records.
//
// Guarantees: only settings of the user are changed, never those of a repository or an administrator. The original
// bytes are stored before the first change (package app/kept), and disconnecting restores them if a file was not
// changed since. Otherwise only our additions are removed. A file that has changed since the plan is refused, and
// changes before the refusal stay.
//
// Not guaranteed: Claude's plugin is installed by the Claude CLI, which decides about its own files.
package connect

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"agentflow/app"
	"agentflow/app/api"
	"agentflow/app/kept"
	"agentflow/internal/connect"
	"agentflow/internal/lists"
)

// ConnectRequest selects the agents to connect or disconnect, and how.
type ConnectRequest struct {
	Agents []string // claude, codex, gemini, opencode; none: all that are installed or, for PlanDisconnect, all
	Hooks  bool     // connect Claude by hooks in its settings instead of a plugin
	Allow  bool     // let Claude call the tools that only read memory without asking
}

// ConnectPlan describes the changes that ApplyConnect will make.
type ConnectPlan struct {
	Change   api.ConnectChange
	Degraded []string

	agents []agentPlan
	redact func(string) string
}

// Empty reports whether the plan changes nothing.
func (p ConnectPlan) Empty() bool {
	return len(p.Change.Files)-len(p.Left())+len(p.Change.Commands) == 0
}

// Left returns the files that cannot be changed.
func (p ConnectPlan) Left() []api.ConnectFile {
	return slices.DeleteFunc(slices.Clone(p.Change.Files), func(f api.ConnectFile) bool { return f.Action != "leave" })
}

// CanAllow reports whether Allowing would make a difference: Claude is in the plan, and asks before
// it calls the tools that only read memory.
func (p ConnectPlan) CanAllow() bool {
	return slices.ContainsFunc(p.agents, func(a agentPlan) bool { return a.asks })
}

// Allowing returns the plan that also lets Claude call the tools that only read memory without
// asking. It does not read the files again, so it changes the texts that this plan showed.
func (p ConnectPlan) Allowing() ConnectPlan {
	p.agents = lists.Mapped(p.agents, agentPlan.allowing)
	p.describe()
	return p
}

// agentPlan is the plan for one agent.
type agentPlan struct {
	agent  string
	way    string       // how it will be connected; empty: not connected
	asks   bool         // Claude asks before it calls a reading tool
	rules  connect.File // if asks: the rules that allow these calls
	kept   *kept.Kept
	edits  []kept.ConnectEdit
	allows []kept.ConnectEdit // the edits of the same files with these rules
	left   []api.ConnectFile
	notes  []string
	plugin *pluginPlan // nil: no change of the plugin
}

// PlanConnect plans the changes that make agents remember their sessions. It writes nothing. Errors
// are of KindUsage, KindNotFound (no agent is installed), KindUnavailable (Claude is not installed,
// so its plugin cannot be installed) and KindRefused (the agent is connected in another way).
func PlanConnect(ctx context.Context, m *app.Memory, req ConnectRequest) (plan ConnectPlan, err error) {
	o := m.Begin(ctx)
	defer o.End(&plan.Degraded, &err)
	c, err := newConnector(o)
	if err != nil {
		return plan, err
	}
	agents, err := c.chosen(req.Agents, func(agent string) bool { return c.installed(agent) != "" })
	if err != nil {
		return plan, err
	}
	if len(agents) == 0 {
		return plan, &app.Error{Kind: app.KindNotFound, Err: errors.New("no agent is installed that could be connected"), Hint: "name one of " + strings.Join(connect.Agents, ", ")}
	}
	for _, agent := range agents {
		p, err := c.planConnect(agent, req)
		if err != nil {
			return plan, err
		}
		plan.agents = append(plan.agents, p)
	}
	plan.redact = c.redact.Text
	plan.describe()
	return plan, nil
}

func (c *connector) planConnect(agent string, req ConnectRequest) (agentPlan, error) {
	k, err := kept.ReadKept(c.dirs.State, agent)
	if err != nil {
		return agentPlan{}, err
	}
	now := c.wayOf(agent)
	p := agentPlan{agent: agent, kept: k, way: wayFor(agent, now, req.Hooks)}
	if now != "" && now != p.way {
		return p, &app.Error{Kind: app.KindRefused, Err: fmt.Errorf("connecting %s: it is connected by %s already", agent, now), Hint: "run 'agentflow disconnect " + agent + "' first"}
	}
	p.notes = notesOn(p.way, agent, c.installed(agent) != "")
	if off, is := c.offBy(agent); is {
		p.notes = append(p.notes, offInWords(api.Connection{Agent: agent, Way: p.way, Off: off.Setting + " in " + off.Path, Remedy: off.Remedy}))
	}
	allow := req.Allow || agent == "claude" && c.allowed(p.way)
	if p.asks = agent == "claude" && !allow; p.asks {
		p.rules = c.home.Allowed(p.way == "plugin")
	}
	if p.way == "plugin" {
		err = c.planPlugin(&p, allow)
	} else {
		for _, f := range c.home.Files(agent) {
			p.file(c.withAllowed(f, p.way, agent == "claude" && allow), true)
		}
	}
	if len(p.left) > 0 {
		p.edits, p.plugin, p.asks = nil, nil, false // make all changes of an agent or none
	} else if agent == "claude" && err == nil {
		c.putCommands(&p)
	}
	return p, err
}

// wayFor returns how to connect an agent. Claude stays connected by hooks if it is now, also
// without a request for hooks.
func wayFor(agent, now string, hooks bool) string {
	switch {
	case agent == "codex", agent == "claude" && (hooks || now == "hooks"):
		return "hooks"
	case agent == "claude":
		return "plugin"
	}
	return "tools"
}

// notesOn returns notes for the user about the state of an agent and steps that the user has to
// take.
func notesOn(way, agent string, installed bool) (notes []string) {
	if !installed {
		notes = append(notes, agent+" was not found on PATH; its settings are written all the same")
	}
	switch {
	case agent == "codex":
		notes = append(notes, "Codex passes over hooks in silence until you trust them: start codex and accept them, or look at them with /hooks")
	case agent == "gemini":
		notes = append(notes, `"trust": true lets the Gemini CLI call the tools of memory without asking you each time, as a run without a terminal cannot answer; the tools read and change memory, and nothing else`)
		fallthrough
	case way == "tools":
		notes = append(notes, agent+" gets the tools of memory; it has no hooks that AgentFlow reads, so its sessions are not remembered, unless started with 'agentflow run'")
	}
	return notes
}

// allowing returns the plan with the rules for the reading tools.
func (p agentPlan) allowing() agentPlan {
	if p.asks {
		others := slices.DeleteFunc(slices.Clone(p.edits), func(e kept.ConnectEdit) bool { return e.Before.Path == p.rules.Path })
		p.edits, p.asks = append(slices.Clone(p.allows), others...), false
	}
	return p
}

// file plans the change of one file: to add our lines, or to remove them.
func (p *agentPlan) file(f connect.File, with bool) {
	now, err := kept.ReadSettingsText(f.Path)
	var edit *kept.ConnectEdit
	if err == nil {
		edit, err = p.change(f, now, with)
	}
	if err != nil {
		p.left = append(p.left, api.ConnectFile{Agent: p.agent, Path: f.Path, Action: "leave", About: f.About, Diff: []string{}, Why: err.Error()})
		return
	}
	if edit != nil {
		p.edits = append(p.edits, *edit)
	}
	if p.asks && f.Path == p.rules.Path {
		f.Items = slices.Concat(f.Items, p.rules.Items)
		if edit, err = p.change(f, now, true); edit != nil {
			p.allows = append(p.allows, *edit)
		}
		p.asks = err == nil
	}
}

// change plans the change of a file with the content now. It returns nil if there is nothing to
// change.
func (p *agentPlan) change(f connect.File, now kept.SettingsText, with bool) (*kept.ConnectEdit, error) {
	if with && now.Is && f.Has(now.Text) {
		return nil, nil
	}
	base, err := p.base(f, now)
	if err != nil {
		return nil, err
	}
	edit := kept.ConnectEdit{Agent: p.agent, About: f.About, Before: now, After: base}
	if with {
		text, err := f.Add(base.Text)
		if err != nil {
			return nil, err
		}
		edit.After = kept.SettingsText{Path: f.Path, Text: text, Is: true}
		edit.Keep = &kept.KeptFile{Path: f.Path, Existed: base.Is, Before: base.Text, After: kept.HashOf(text)}
	}
	if !edit.Changes() {
		return nil, nil
	}
	return &edit, edit.Writable()
}

// base returns a file without our lines: the original bytes if the file is unchanged since connect
// wrote it, else the current text with our lines removed.
func (p *agentPlan) base(f connect.File, now kept.SettingsText) (kept.SettingsText, error) {
	old := p.kept.File(f.Path)
	if now.Is && old.Untouched(now.Text) {
		return kept.SettingsText{Path: f.Path, Text: old.Before, Is: old.Existed}, nil
	}
	if !now.Is {
		return now, nil
	}
	var before []byte
	if old != nil {
		before = old.Before
	}
	text, err := f.Cut(now.Text, before)
	return kept.SettingsText{Path: f.Path, Text: text, Is: true}, err
}

// describe fills p.Change from the agents' plans.
func (p *ConnectPlan) describe() {
	p.Change = api.ConnectChange{Files: []api.ConnectFile{}, Commands: []string{}, Notes: []string{}}
	for _, a := range p.agents {
		for _, e := range a.edits {
			p.Change.Files = append(p.Change.Files, e.Object(p.redact))
		}
		p.Change.Files = append(p.Change.Files, a.left...)
		if a.plugin != nil {
			p.Change.Files = append(p.Change.Files, lists.Mapped(a.plugin.files, func(e kept.ConnectEdit) api.ConnectFile { return e.Object(p.redact) })...)
			p.Change.Commands = append(p.Change.Commands, a.plugin.shown()...)
		}
		p.Change.Notes = append(p.Change.Notes, a.notes...)
	}
}

// PlanDisconnect plans the changes that disconnect agents. It writes nothing.
func PlanDisconnect(ctx context.Context, m *app.Memory, req ConnectRequest) (plan ConnectPlan, err error) {
	o := m.Begin(ctx)
	defer o.End(&plan.Degraded, &err)
	c, err := newConnector(o)
	if err != nil {
		return plan, err
	}
	agents, err := c.chosen(req.Agents, func(string) bool { return true })
	if err != nil {
		return plan, err
	}
	for _, agent := range agents {
		k, err := kept.ReadKept(c.dirs.State, agent)
		if err != nil {
			o.Warn("%v; only our lines are taken out", err)
			k.Files = nil
		}
		p := agentPlan{agent: agent, kept: k}
		if c.wayOf(agent) == "plugin" {
			if err := c.planPluginOut(&p); err != nil {
				return plan, err
			}
		} else {
			for _, f := range c.toCut(agent, k) {
				p.file(c.withAllowed(f, "hooks", agent == "claude"), false)
			}
		}
		if agent == "claude" {
			c.cutCommands(&p)
		}
		plan.agents = append(plan.agents, p)
	}
	plan.redact = c.redact.Text
	plan.describe()
	return plan, nil
}
