// Package gemini runs the Gemini CLI without its screen and decodes its stream-json.
package gemini

import (
	"cmp"
	"fmt"
	"slices"

	"agentflow/executor/agent"

	"github.com/google/uuid"
)

// The approval modes of the Gemini CLI.
const (
	Default  = "default"   // no tool that changes anything
	AutoEdit = "auto_edit" // file tools, no commands
	Yolo     = "yolo"      // everything
	Plan     = "plan"
)

type gemini struct{ argv []string }

// New returns the Gemini CLI as an agent. argv is the program and the arguments that precede
// ours; empty means "gemini" from PATH.
func New(argv ...string) agent.Agent {
	if len(argv) == 0 {
		argv = []string{"gemini"}
	}
	return gemini{argv: argv}
}

func (g gemini) Name() string { return "gemini" }

// Command passes the prompt on standard input: if that is not a terminal, the CLI reads it and
// asks no questions. Permission is an approval mode; empty means AutoEdit.
func (g gemini) Command(req agent.Request) (agent.Command, error) {
	argv := append(slices.Clone(g.argv), "--output-format", "stream-json", "--approval-mode", cmp.Or(req.Permission, AutoEdit))
	if req.Model != "" {
		argv = append(argv, "--model", req.Model)
	}
	if req.Resume != "" {
		if uuid.Validate(req.Resume) != nil { // it must not be read as an option
			return agent.Command{}, fmt.Errorf("gemini: %q is no session of the Gemini CLI", req.Resume)
		}
		argv = append(argv, "--resume", req.Resume)
	}
	cmd := agent.Command{Argv: append(argv, req.Args...), Stdin: []byte(req.Prompt)}
	if req.MaxCostUSD > 0 {
		cmd.Notes = append(cmd.Notes, fmt.Sprintf("gemini has no spend cap: $%g is not held", req.MaxCostUSD))
	}
	if len(req.Tools.Argv) > 0 {
		cmd.Notes = append(cmd.Notes, "gemini runs without the tools of memory: it takes a server only from its settings, not for one run")
	}
	return cmd, nil
}

func (g gemini) Decoder() agent.Decoder { return newDecoder() }
