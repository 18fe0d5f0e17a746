package executor

import (
	"errors"
	"fmt"
)

// Protocol is how a program tells what it does on standard output.
type Protocol string

// The protocols.
const (
	ProtocolText   Protocol = "text"   // all of it is what the agent says
	ProtocolClaude Protocol = "claude" // Claude's stream-json
)

// command is any program: prompt on standard input, and standard output read
// by protocol.
type command struct {
	name     string
	argv     []string
	protocol Protocol
}

// NewCommand returns the agent that runs argv under a name: "command" for the
// program a user gave on the command line, or a name from the configuration.
// An empty protocol is ProtocolText.
func NewCommand(name string, argv []string, protocol Protocol) (Agent, error) {
	if protocol == "" {
		protocol = ProtocolText
	}
	switch {
	case name == "":
		return nil, errors.New("agent without a name")
	case len(argv) == 0 || argv[0] == "":
		return nil, fmt.Errorf("agent %s: no program given", name)
	case protocol != ProtocolText && protocol != ProtocolClaude:
		return nil, fmt.Errorf("agent %s: protocol %q is neither %q nor %q", name, protocol, ProtocolText, ProtocolClaude)
	}
	return command{name: name, argv: argv, protocol: protocol}, nil
}

func (c command) Name() string { return c.name }

func (c command) Command(req AgentRequest) (AgentCommand, error) {
	if req.Resume != "" {
		return AgentCommand{}, fmt.Errorf("agent %s cannot go on with session %s: only claude resumes", c.name, req.Resume)
	}
	cmd := AgentCommand{
		Argv:  append(append([]string{}, c.argv...), req.Args...),
		Stdin: []byte(req.Prompt),
		Raw:   c.protocol == ProtocolText,
	}
	if req.MaxCostUSD > 0 {
		cmd.Notes = append(cmd.Notes, fmt.Sprintf("agent %s has no spend cap: $%g is not held", c.name, req.MaxCostUSD))
	}
	if req.Model != "" {
		cmd.Notes = append(cmd.Notes, fmt.Sprintf("agent %s takes no model: %s is not used", c.name, req.Model))
	}
	return cmd, nil
}

func (c command) Decoder() Decoder {
	if c.protocol == ProtocolClaude {
		return &claudeDecoder{}
	}
	return &textDecoder{}
}

// textDecoder takes everything for one message.
type textDecoder struct{ spoke bool }

func (d *textDecoder) Feed(p []byte) []Event {
	if len(p) == 0 {
		return nil
	}
	d.spoke = true
	return []Event{{Kind: EventSaid, Text: string(p), More: true}}
}

func (d *textDecoder) Close() []Event {
	if !d.spoke {
		return nil
	}
	d.spoke = false
	return []Event{{Kind: EventSaid}}
}
