// Package command runs any program as an agent. The program gets the prompt on its standard
// input, and its standard output is decoded by a protocol.
package command

import (
	"errors"
	"fmt"
	"strings"

	"agentflow/executor/agent"
	"agentflow/executor/agent/claude"
)

// Protocol is the form of a program's standard output.
type Protocol string

// The protocols.
const (
	Text   Protocol = "text"   // text for people
	Claude Protocol = "claude" // Claude's stream-json
)

// command is a program that gets the prompt on standard input and prints output in a protocol.
type command struct {
	name     string
	argv     []string
	protocol Protocol
}

// New returns the agent that runs argv under a name: "command" for a program that the user gave
// on the command line, or a name from the configuration. An empty protocol means Text.
func New(name string, argv []string, protocol Protocol) (agent.Agent, error) {
	if protocol == "" {
		protocol = Text
	}
	switch {
	case name == "":
		return nil, errors.New("agent without a name")
	case len(argv) == 0 || argv[0] == "":
		return nil, fmt.Errorf("agent %s: no program given", name)
	case protocol != Text && protocol != Claude:
		return nil, fmt.Errorf("agent %s: protocol %q is neither %q nor %q", name, protocol, Text, Claude)
	}
	return command{name: name, argv: argv, protocol: protocol}, nil
}

func (c command) Name() string { return c.name }

func (c command) Command(req agent.Request) (agent.Command, error) {
	if req.Resume != "" {
		return agent.Command{}, fmt.Errorf("agent %s cannot resume session %s: only claude, codex, gemini and opencode can", c.name, req.Resume)
	}
	prompt := req.Prompt
	if !strings.HasSuffix(prompt, "\n") { // a shell's read fails on an unfinished line
		prompt += "\n"
	}
	cmd := agent.Command{
		Argv:  append(append([]string{}, c.argv...), req.Args...),
		Stdin: []byte(prompt),
		Raw:   c.protocol == Text,
	}
	if req.MaxCostUSD > 0 {
		cmd.Notes = append(cmd.Notes, fmt.Sprintf("agent %s has no spend cap: $%g is not held", c.name, req.MaxCostUSD))
	}
	if req.Model != "" {
		cmd.Notes = append(cmd.Notes, fmt.Sprintf("agent %s takes no model: %s is not used", c.name, req.Model))
	}
	return cmd, nil
}

func (c command) Decoder() agent.Decoder {
	if c.protocol == Claude {
		return claude.NewDecoder()
	}
	return &textDecoder{}
}

// textDecoder decodes the whole output as one message.
type textDecoder struct{ spoke bool }

func (d *textDecoder) Feed(p []byte) []agent.Event {
	if len(p) == 0 {
		return nil
	}
	d.spoke = true
	return []agent.Event{{Kind: agent.Said, Text: string(p), More: true}}
}

func (d *textDecoder) Close() []agent.Event {
	if !d.spoke {
		return nil
	}
	d.spoke = false
	return []agent.Event{{Kind: agent.Said}}
}
