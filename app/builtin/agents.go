// Package builtin is the table of the agents that AgentFlow knows, with their settings and programs.
package builtin

import (
	"cmp"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"agentflow/app"
	"agentflow/executor"
	"agentflow/executor/agent"
	"agentflow/executor/agent/claude"
	"agentflow/executor/agent/codex"
	"agentflow/executor/agent/gemini"
	"agentflow/executor/agent/opencode"
	"agentflow/executor/agent/priced"
	"agentflow/internal/config"
	"agentflow/internal/gitdir"
	"agentflow/internal/lists"
	"agentflow/internal/proc"
)

// Agent describes an agent that AgentFlow knows: its constructor and its settings.
type Agent struct {
	Name       string // also the name of its program
	install    string // the npm package
	make       func(argv ...string) agent.Agent
	Permission string // key of the setting of its permissions
	Model      string // key of the setting of its model
	request    func(c *config.Config, req *executor.Request)
	Login      string // how a person logs in
	Allow      string // how a user gives a run more permissions; empty: that depends on the denied calls
}

// InstallHint returns the hint how to install the agent.
func (b Agent) InstallHint() string {
	return "install it with 'npm install -g " + b.install + "', or put it on PATH"
}

// Agents lists the agents, the default first.
var Agents = []Agent{
	{"claude", "@anthropic-ai/claude-code", claude.New, "agent.claude.permission_mode", "agent.claude.model",
		func(c *config.Config, req *executor.Request) {
			req.Permission, req.AllowedTools, req.Model, req.Args = c.Claude.PermissionMode, c.Claude.AllowedTools, c.Claude.Model, c.Claude.Args
		}, "'claude auth login' logs in; without a terminal, set ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN", ""},
	{"codex", "@openai/codex", codex.New, "agent.codex.sandbox", "agent.codex.model",
		func(c *config.Config, req *executor.Request) {
			req.Permission, req.Model, req.Args = c.Codex.Sandbox, c.Codex.Model, c.Codex.Args
		}, "'codex login' logs in; without a terminal, 'codex login --with-api-key' reads a key from standard input",
		`[agent.codex] sandbox = "workspace-write" in your settings lets it write in the working tree`},
	{"gemini", "@google/gemini-cli", gemini.New, "agent.gemini.approval_mode", "agent.gemini.model",
		func(c *config.Config, req *executor.Request) {
			req.Permission, req.Model, req.Args = c.Gemini.ApprovalMode, c.Gemini.Model, c.Gemini.Args
		}, "start 'gemini' once and log in; without a terminal, set GEMINI_API_KEY",
		`[agent.gemini] approval_mode = "yolo" in your settings lets it do everything, "auto_edit" edit files`},
	{"opencode", "opencode-ai", opencode.New, "agent.opencode.permission", "agent.opencode.model",
		func(c *config.Config, req *executor.Request) {
			req.Permission, req.Model, req.Args = c.Opencode.Permission, c.Opencode.Model, c.Opencode.Args
		}, "'opencode auth login' logs in to a provider",
		`[agent.opencode] permission = '{"edit":"allow","bash":{"git add *":"allow","git commit *":"allow","*":"deny"}}' in your settings lets it edit files and commit; "full" lets it do everything`},
}

// Named returns the built-in agent with a name. It returns false if there is none, and if
// the user's settings give the name to another program.
func Named(c *config.Config, name string) (Agent, bool) {
	_, named := c.Agents[name]
	i := slices.IndexFunc(Agents, func(b Agent) bool { return b.Name == name })
	if named || i < 0 {
		return Agent{}, false
	}
	return Agents[i], true
}

// Installed returns the names of the built-in agents that are on PATH.
func Installed() (names []string) {
	for _, b := range Agents {
		if _, err := exec.LookPath(b.Name); err == nil {
			names = append(names, b.Name)
		}
	}
	return names
}

// NamedOrDefault returns the agent to which --permission-mode and --model apply: the built-in agent
// with the name, or else Claude.
func NamedOrDefault(c *config.Config, name string) Agent {
	if b, known := Named(c, name); known {
		return b
	}
	return Agents[0]
}

// Request builds the request of a run for a built-in agent.
func Request(s *app.Repo, req executor.Request, b Agent, args []string) executor.Request {
	b.request(s.Settings, &req)
	req.Args = append(lists.Filled(req.Args), args...)
	req.Agent = b.make(b.Name)
	if b.Name == "gemini" && hasServer(filepath.Join(s.Dirs.Home, ".gemini", "settings.json"), req.Tools.Name) {
		req.Tools = agent.Tools{} // the agent's settings already start the server
	}
	bill := priced.Bill{Model: req.Model, Prices: s.Settings.PriceList()}
	if b.Name == "codex" && req.Resume != "" {
		bill.Before = codexTokens(s, req.Resume)
	}
	if b.Name != "claude" { // Claude reports the cost itself
		req.Agent = priced.New(req.Agent, bill)
	}
	return req
}

// hasServer reports whether the settings of an agent list a server of tools.
func hasServer(file, name string) bool {
	var settings struct {
		Servers map[string]json.RawMessage `json:"mcpServers"`
	}
	data, err := os.ReadFile(file)
	return err == nil && json.Unmarshal(data, &settings) == nil && settings.Servers[name] != nil
}

// codexTokens returns how many tokens a session of Codex has used so far, according to the
// session's file. The usage that Codex reports at the end of a run includes them again.
func codexTokens(s *app.Repo, session string) (sum agent.Tokens) {
	home := cmp.Or(s.Getenv("CODEX_HOME"), filepath.Join(s.Dirs.Home, ".codex"))
	files, _ := filepath.Glob(filepath.Join(home, "sessions", "*", "*", "*", "rollout-*-"+filepath.Base(session)+".jsonl")) // a bad pattern matches no file
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			continue
		}
		reader := codex.New().(agent.Transcriber).Transcript()
		_, _ = io.Copy(writerFunc(func(p []byte) { // the tokens that were read count, also after an error
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

// writerFunc is an io.Writer that calls the function and never fails.
type writerFunc func(p []byte)

func (w writerFunc) Write(p []byte) (int, error) {
	w(p)
	return len(p), nil
}

// ToolVariables names the variables that a server of our tools needs. Some agents pass on only the
// variables that are named.
func ToolVariables(environ []string) []string {
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

// GitFolders returns the folders that a commit in a work tree writes to. A sandbox would make them
// read-only.
func GitFolders(workTree string) []string {
	dirs, err := gitdir.Of(workTree)
	if err != nil {
		return nil // not a repository, or not one that can be written
	}
	return slices.Compact([]string{dirs.Git, dirs.Common})
}
