package connect

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"agentflow/app"
	"agentflow/app/agentfiles"
	"agentflow/app/api"
	"agentflow/app/kept"
	"agentflow/app/session"
	"agentflow/internal/connect"
	"agentflow/internal/lists"
	"agentflow/internal/safefile"
)

// ConnectStatusResult lists how each agent is connected.
type ConnectStatusResult struct {
	Connections []api.Connection
	LeftOut     bool // as in StatusResult
	Degraded    []string
}

// ConnectStatus reports for each agent whether it is installed, whether its sessions are
// remembered, and which program its hooks run.
func ConnectStatus(ctx context.Context, m *app.Memory) (result ConnectStatusResult, err error) {
	o := m.Begin(ctx)
	defer o.End(&result.Degraded, &err)
	c, err := newConnector(o)
	if err != nil {
		return result, err
	}
	result.Connections, result.LeftOut = []api.Connection{}, leftOut(o)
	for _, agent := range connect.Agents {
		result.Connections = append(result.Connections, c.connection(agent))
	}
	return result, nil
}

// connection returns how an agent is connected now.
func (c *connector) connection(agent string) api.Connection {
	if _, err := kept.ReadKept(c.dirs.State, agent); err != nil {
		c.Operation.Warn("%v", err)
	}
	out := api.Connection{Agent: agent, Installed: c.installed(agent), Way: c.wayOf(agent), State: "not connected", Files: []string{}}
	if out.Way == "" {
		return out
	}
	complete := true
	if out.Way == "plugin" {
		path := filepath.Join(c.pluginDir(), filepath.FromSlash(connect.PluginHooks))
		text, err := safefile.Read(path, safefile.NoLink, agentfiles.MaxSize)
		_, whole := c.pluginState()
		complete = err == nil && whole
		out.Program, out.Files = c.home.PluginProgram(text), []string{c.home.ClaudeSettings(), c.pluginDir()}
	} else {
		for _, f := range c.home.Files(agent) {
			now, err := kept.ReadSettingsText(f.Path)
			out.Files = append(out.Files, f.Path)
			if program := f.Program(now.Text); err == nil && program != "" {
				out.Program = program
			}
			complete = complete && err == nil && f.Has(now.Text)
		}
	}
	out.State = c.stateOf(out.Program, complete)
	if off, is := c.offBy(agent); is {
		out.Off, out.Remedy = off.Setting+" in "+off.Path, off.Remedy
		if out.State == "connected" || out.State == "partly" {
			out.State = "off"
		}
	}
	if info, err := os.Stat(session.SeenFile(c.dirs, agent)); err == nil && out.Way != "tools" {
		at := info.ModTime().UTC().Truncate(time.Second)
		out.Seen = &at
	}
	return out
}

// offBy finds the setting that keeps an agent from running AgentFlow's hooks or tools in the
// current repository.
func (c *connector) offBy(agent string) (connect.Off, bool) {
	project := ""
	if place, _, err := PlaceOrNone(c.Operation); err == nil {
		project = cmp.Or(place.Worktree, place.Root)
	}
	return connect.SwitchedOff(agent, project, agentfiles.ReadLevels(c.home, agent, project))
}

// connections lists the agents that are connected.
func connections(o *app.Operation) (list []api.Connection) {
	c, err := newConnector(o)
	if err != nil {
		return nil // the check of the place reports the error
	}
	for _, agent := range connect.Agents {
		if found := c.connection(agent); found.Way != "" {
			list = append(list, found)
		}
	}
	return list
}

// StatusOfAgents adds the connected agents to a status, and a line for each agent with hooks or
// tools that are switched off. It adds nothing for a caller over the network.
func StatusOfAgents(o *app.Operation, result *StatusResult) {
	if !o.Policy.HasAgents() {
		return
	}
	result.Agents = connections(o)
	result.LeftOut = leftOut(o)
	for _, found := range result.Agents {
		if found.State == "off" {
			result.Status.Degraded = append(result.Status.Degraded, offInWords(found))
		}
	}
}

// leftOut reports whether an agent is connected so that its sessions would be remembered, but the settings leave out
// the sessions in this repository.
func leftOut(o *app.Operation) bool { return len(Remembering(o)) > 0 && !app.RemembersHere(o) }

// Of a repository with sessions that are not remembered.
const (
	leftOutSays = "your settings ([session] where) leave out the sessions in this repository"
	leftOutHint = "'agentflow connect --here' remembers them too"
)

// LeftOutInWords says that sessions in this repository are not remembered, and what changes that.
const LeftOutInWords = leftOutSays + ": " + leftOutHint

// offInWords says which hooks or tools of an agent are switched off, and how to switch them on.
func offInWords(found api.Connection) string {
	what := "hooks are switched off, so its sessions are not remembered"
	if found.Way == "tools" {
		what = "the tools of memory are switched off"
	}
	return fmt.Sprintf("%s: %s, by %s: %s", found.Agent, what, found.Off, found.Remedy)
}

func (c *connector) stateOf(program string, complete bool) string {
	_, err := os.Stat(program)
	switch {
	case program != "" && err != nil:
		return "missing"
	case program != "" && !sameProgram(program, c.Operation.Program):
		return "other"
	case !complete:
		return "partly"
	}
	return "connected"
}

// CheckConnections returns doctor's checks of the connected agents.
func CheckConnections(o *app.Operation) []api.Check {
	checks := lists.Mapped(connections(o), checkConnection)
	if leftOut(o) {
		checks = append(checks, api.Warned("sessions here", leftOutSays, leftOutHint))
	}
	return checks
}

// whatRuns names the lines in an agent's settings that run agentflow, and their place.
func whatRuns(found api.Connection) string {
	switch found.Way {
	case "tools":
		return "the tools of " + found.Agent + " in " + found.Files[0]
	case "plugin":
		return "the hooks of " + found.Agent + " in " + filepath.Join(found.Files[1], filepath.FromSlash(connect.PluginHooks))
	}
	return "the hooks of " + found.Agent + " in " + found.Files[0]
}

func checkConnection(found api.Connection) api.Check {
	name, again, runs := "sessions of "+found.Agent, "'agentflow connect "+found.Agent+"' puts it right", whatRuns(found)
	switch found.State {
	case "missing":
		return api.Warned(name, "nothing is remembered: "+runs+" run "+found.Program+", which is not there", again)
	case "other":
		return api.Warned(name, runs+" run "+found.Program+", which is not this agentflow", again)
	case "off":
		what := "nothing is remembered: hooks"
		if found.Way == "tools" {
			what = "the tools of memory"
		}
		return api.Warned(name, what+" are switched off by "+found.Off, found.Remedy)
	case "partly":
		return api.Warned(name, "connected by "+found.Way+", but lines of ours are missing in "+strings.Join(found.Files, " or "), again)
	}
	check := api.Passed(name, "connected by "+found.Way+", "+found.Program)
	switch {
	case found.Way == "tools":
	case found.Seen != nil:
		check.Detail += "; " + found.Agent + " last ran a hook at " + found.Seen.Local().Format("2006-01-02 15:04")
	case found.Agent == "codex":
		check.Hint = "Codex ran none of its hooks yet; it passes over hooks that you have not trusted: see /hooks in codex"
	default:
		check.Hint = found.Agent + " ran none of its hooks yet; its next session in a repository shows whether they work"
	}
	return check
}

// StatusResult is the contents and the state of memory. Status.Degraded
// names the parts that could not be read.
type StatusResult struct {
	Status   api.Status
	InGit    bool             // hooks may be installed
	Hooks    string           // the hooks in a line
	Agents   []api.Connection // agents that are connected
	LeftOut  bool             // an agent is connected, and the settings leave out the sessions in this repository
	Open     []api.Run        // sessions that are open, the newest first
	Degraded []string
}
