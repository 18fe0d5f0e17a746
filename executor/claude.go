package executor

import (
	"errors"
	"strconv"
)

// claude is the Claude CLI in print mode.
type claude struct{ argv []string }

// NewClaude returns the Claude CLI as an agent. argv is the program and what
// always stands before our own arguments; empty means "claude" from PATH.
func NewClaude(argv ...string) Agent {
	if len(argv) == 0 {
		argv = []string{"claude"}
	}
	return claude{argv: argv}
}

func (c claude) Name() string { return "claude" }

// Command keeps the prompt out of the arguments, which have a size limit and
// stand in every process listing.
func (c claude) Command(req AgentRequest) (AgentCommand, error) {
	if req.MaxCostUSD < 0 {
		return AgentCommand{}, errors.New("claude: a spend cap below zero")
	}
	argv := append([]string{}, c.argv...)
	argv = append(argv, "-p", "--output-format", "stream-json")
	if len(req.AllowedTools) > 0 {
		argv = append(append(argv, "--allowedTools"), req.AllowedTools...)
	}
	// --allowedTools takes all that follows up to the next flag.
	argv = append(argv, "--verbose")
	for _, option := range []struct{ flag, value string }{
		{"--permission-mode", req.Permission},
		{"--model", req.Model},
		{"--resume", req.Resume},
	} {
		if option.value != "" {
			argv = append(argv, option.flag, option.value)
		}
	}
	if req.MaxCostUSD > 0 {
		argv = append(argv, "--max-budget-usd", strconv.FormatFloat(req.MaxCostUSD, 'f', -1, 64))
	}
	return AgentCommand{Argv: append(argv, req.Args...), Stdin: []byte(req.Prompt)}, nil
}

func (c claude) Decoder() Decoder { return &claudeDecoder{} }
