// Package codex runs OpenAI's Codex CLI without its screen. It decodes the stream of "codex
// exec --json", and Codex's files of sessions.
package codex

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"agentflow/executor/agent"

	"github.com/google/uuid"
)

// The sandboxes of Codex, by the folders to which commands may write.
const (
	ReadOnly       = "read-only"
	WorkspaceWrite = "workspace-write" // the work tree and temporary folders; no network
)

type codex struct{ argv []string }

// New returns the Codex CLI as an agent. argv is the program and the arguments that precede
// ours; empty means "codex" from PATH.
func New(argv ...string) agent.Agent {
	if len(argv) == 0 {
		argv = []string{"codex"}
	}
	return codex{argv: argv}
}

func (c codex) Name() string { return "codex" }

// Command uses configuration keys where it can, because "exec resume" has few options.
// Permission is a sandbox; empty means WorkspaceWrite.
func (c codex) Command(req agent.Request) (agent.Command, error) {
	argv := append(slices.Clone(c.argv), "exec")
	if req.Resume != "" {
		argv = append(argv, "resume")
	}
	// A run may be in any folder, and has no user to ask.
	argv = append(argv, "--json", "--skip-git-repo-check", "-c", `approval_policy="never"`)
	sandbox := cmp.Or(req.Permission, WorkspaceWrite)
	argv = append(argv, "-c", "sandbox_mode="+quoted(sandbox))
	if sandbox == WorkspaceWrite && len(req.Writable) > 0 {
		argv = append(argv, "-c", "sandbox_workspace_write.writable_roots="+list(req.Writable))
	}
	argv = append(argv, serverOf(req.Tools)...)
	if req.Model != "" {
		argv = append(argv, "--model", req.Model)
	}
	if req.Resume != "" {
		if uuid.Validate(req.Resume) != nil { // it must not be read as an option
			return agent.Command{}, fmt.Errorf("codex: %q is no session of Codex", req.Resume)
		}
		argv = append(argv, req.Resume)
	}
	cmd := agent.Command{Argv: append(append(argv, "-"), req.Args...), Stdin: []byte(req.Prompt)}
	if req.MaxCostUSD > 0 {
		cmd.Notes = append(cmd.Notes, fmt.Sprintf("codex has no spend cap: $%g is not held", req.MaxCostUSD))
	}
	return cmd, nil
}

// serverOf returns the arguments that give Codex a server of tools. Codex passes few variables
// to a server unless they are named.
func serverOf(t agent.Tools) []string {
	if len(t.Argv) == 0 {
		return nil
	}
	key := "mcp_servers." + t.Name + "."
	args := []string{"-c", key + "command=" + quoted(t.Argv[0]), "-c", key + "args=" + list(t.Argv[1:])}
	if len(t.Variables) > 0 {
		args = append(args, "-c", key+"env_vars="+list(t.Variables))
	}
	return args
}

// quoted returns text as a TOML string: every JSON string is one.
func quoted(text string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // a string can always be encoded
	return strings.TrimSuffix(b.String(), "\n")
}

func list(texts []string) string {
	out := make([]string, len(texts))
	for i, text := range texts {
		out[i] = quoted(text)
	}
	return "[" + strings.Join(out, ",") + "]"
}

func (c codex) Decoder() agent.Decoder { return newDecoder() }
