package app

import (
	"cmp"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"agentflow/config"
	"agentflow/executor"
	"agentflow/executor/agent"
	"agentflow/executor/agent/claude"
	"agentflow/executor/agent/codex"
	"agentflow/executor/agent/gemini"
	"agentflow/executor/agent/opencode"
	"agentflow/executor/agent/priced"
	"agentflow/internal/gitdir"
	"agentflow/internal/proc"
)

// builtIn is an agent that AgentFlow knows: how it is made, and where its
// settings are.
type builtIn struct {
	name       string // of its program too
	install    string // the npm package
	make       func(argv ...string) agent.Agent
	permission string // setting of what it may do
	model      string // setting of its model
	request    func(c *config.Config, req *executor.Request)
	login      string // how a person logs in
	allow      string // how a run is allowed more; empty: that depends on what it was denied
}

func (b builtIn) installHint() string {
	return "install it with 'npm install -g " + b.install + "', or put it on PATH"
}

// builtIns are the agents, the default first.
var builtIns = []builtIn{
	{"claude", "@anthropic-ai/claude-code", claude.New, "agent.claude.permission_mode", "agent.claude.model",
		func(c *config.Config, req *executor.Request) {
			req.Permission, req.AllowedTools, req.Model, req.Args = c.Claude.PermissionMode, c.Claude.AllowedTools, c.Claude.Model, c.Claude.Args
		}, "'claude auth login' logs in; where nobody can, set ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN", ""},
	{"codex", "@openai/codex", codex.New, "agent.codex.sandbox", "agent.codex.model",
		func(c *config.Config, req *executor.Request) {
			req.Permission, req.Model, req.Args = c.Codex.Sandbox, c.Codex.Model, c.Codex.Args
		}, "'codex login' logs in; where nobody can, 'codex login --with-api-key' reads a key from standard input",
		`[agent.codex] sandbox = "workspace-write" in your settings lets it write in the working tree`},
	{"gemini", "@google/gemini-cli", gemini.New, "agent.gemini.approval_mode", "agent.gemini.model",
		func(c *config.Config, req *executor.Request) {
			req.Permission, req.Model, req.Args = c.Gemini.ApprovalMode, c.Gemini.Model, c.Gemini.Args
		}, "start 'gemini' once and log in; where nobody can, set GEMINI_API_KEY",
		`[agent.gemini] approval_mode = "yolo" in your settings lets it do everything, "auto_edit" edit files`},
	{"opencode", "opencode-ai", opencode.New, "agent.opencode.permission", "agent.opencode.model",
		func(c *config.Config, req *executor.Request) {
			req.Permission, req.Model, req.Args = c.Opencode.Permission, c.Opencode.Model, c.Opencode.Args
		}, "'opencode auth login' logs in to a provider",
		`[agent.opencode] permission = '{"edit":"allow","bash":{"git add *":"allow","git commit *":"allow","*":"deny"}}' in your settings lets it edit files and commit; "full" lets it do everything`},
}

// builtInNamed is the agent of that name, unless the user's settings have given
// the name to a program of theirs.
func builtInNamed(c *config.Config, name string) (builtIn, bool) {
	_, named := c.Agents[name]
	i := slices.IndexFunc(builtIns, func(b builtIn) bool { return b.name == name })
	if named || i < 0 {
		return builtIn{}, false
	}
	return builtIns[i], true
}

// InstalledAgents names the agents that a run can be given to and that are on
// PATH.
func InstalledAgents() (names []string) {
	for _, b := range builtIns {
		if _, err := exec.LookPath(b.name); err == nil {
			names = append(names, b.name)
		}
	}
	return names
}

// settingsOf are the settings that --permission-mode and --model set: those of
// the agent with a name, or of Claude.
func settingsOf(c *config.Config, name string) builtIn {
	if b, known := builtInNamed(c, name); known {
		return b
	}
	return builtIns[0]
}

// asked makes the request of a run for a built-in agent.
func (s *openMemory) asked(req executor.Request, b builtIn, args []string) executor.Request {
	b.request(s.settings, &req)
	req.Args = append(filled(req.Args), args...)
	req.Agent = b.make(b.name)
	if b.name == "gemini" && hasServer(filepath.Join(s.dirs.Home, ".gemini", "settings.json"), req.Tools.Name) {
		req.Tools = agent.Tools{} // it has them
	}
	bill := priced.Bill{Model: req.Model, Prices: s.settings.PriceList()}
	if b.name == "codex" && req.Resume != "" {
		bill.Before = s.codexTokens(req.Resume)
	}
	if b.name != "claude" { // which tells
		req.Agent = priced.New(req.Agent, bill)
	}
	return req
}

// hasServer says whether the settings of an agent have a server of tools.
func hasServer(file, name string) bool {
	var settings struct {
		Servers map[string]json.RawMessage `json:"mcpServers"`
	}
	data, err := os.ReadFile(file)
	return err == nil && json.Unmarshal(data, &settings) == nil && settings.Servers[name] != nil
}

// codexTokens are what a session of Codex has taken so far, by its own file:
// what it tells at the end of a run counts them again.
func (s *openMemory) codexTokens(session string) (sum agent.Tokens) {
	home := cmp.Or(s.getenv("CODEX_HOME"), filepath.Join(s.dirs.Home, ".codex"))
	files, _ := filepath.Glob(filepath.Join(home, "sessions", "*", "*", "*", "rollout-*-"+filepath.Base(session)+".jsonl")) // a bad pattern finds none
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			continue
		}
		reader := codex.New().(agent.Transcriber).Transcript()
		_, _ = io.Copy(writerFunc(func(p []byte) { // what can be read counts
			for _, ev := range reader.Feed(p) {
				if ev.Kind == agent.Usage {
					sum = ev.Tokens
				}
			}
		}), f)
		f.Close()
	}
	return sum
}

// writerFunc is a writer that takes everything.
type writerFunc func(p []byte)

func (w writerFunc) Write(p []byte) (int, error) {
	w(p)
	return len(p), nil
}

// toolVariables are the variables that a server of our tools needs, where an
// agent hands on only those that are named.
func toolVariables(environ []string) []string {
	names := []string{proc.TagVar, executor.TokenVar}
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		if strings.HasPrefix(name, "AGENTFLOW_") || strings.HasPrefix(name, "XDG_") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// gitFolders are the folders that a commit in a work tree writes to, which a
// sandbox would keep from it.
func gitFolders(workTree string) []string {
	dirs, err := gitdir.Of(workTree)
	if err != nil {
		return nil // no repository, or none that can be written
	}
	return slices.Compact([]string{dirs.Git, dirs.Common})
}
