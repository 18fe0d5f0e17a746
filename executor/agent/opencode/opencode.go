// Package opencode runs opencode without its screen and decodes its JSON events.
package opencode

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"agentflow/executor/agent"
)

// The permissions of opencode, apart from a JSON object in opencode's form.
const (
	ReadOnly = "read-only" // changes no file and runs no command
	Edit     = "edit"      // changes files below the work tree, and runs no command
	Full     = "full"      // everything
)

// permissions translate AgentFlow's to opencode's form. They deny the actions about which
// opencode would ask: a run has no user, and a question without an answer ends it.
var permissions = map[string]string{
	ReadOnly: `{"edit":"deny","bash":"deny","webfetch":"deny","external_directory":"deny","doom_loop":"deny"}`,
	Edit:     `{"edit":"allow","bash":"deny","webfetch":"deny","external_directory":"deny","doom_loop":"deny"}`,
	Full:     `{"edit":"allow","bash":"allow","webfetch":"allow","external_directory":"allow","doom_loop":"deny"}`,
}

// Permission returns an error for a permission that is neither one of AgentFlow's nor a JSON
// object.
func Permission(text string) error {
	if _, ours := permissions[text]; ours {
		return nil
	}
	var object map[string]any
	if json.Unmarshal([]byte(text), &object) != nil || object == nil {
		return fmt.Errorf("want %s, %s, %s or a JSON object as opencode's own setting permission, have %q", ReadOnly, Edit, Full, text)
	}
	return nil
}

type opencode struct{ argv []string }

// New returns opencode as an agent. argv is the program and the arguments that precede ours;
// empty means "opencode" from PATH.
func New(argv ...string) agent.Agent {
	if len(argv) == 0 {
		argv = []string{"opencode"}
	}
	return opencode{argv: argv}
}

func (o opencode) Name() string { return "opencode" }

var session = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^ses_[0-9A-Za-z]+$`) })

// Command passes the prompt on standard input. Permission is one of AgentFlow's or a JSON
// object; empty means Edit.
func (o opencode) Command(req agent.Request) (agent.Command, error) {
	argv := append(slices.Clone(o.argv), "run", "--format", "json")
	if req.Model != "" {
		argv = append(argv, "--model", req.Model)
	}
	if req.Resume != "" {
		if !session().MatchString(req.Resume) { // it must not be read as an option
			return agent.Command{}, fmt.Errorf("opencode: %q is no session of opencode", req.Resume)
		}
		argv = append(argv, "--session", req.Resume)
	}
	permission := cmp.Or(req.Permission, Edit)
	if err := Permission(permission); err != nil {
		return agent.Command{}, fmt.Errorf("opencode: %w", err)
	}
	cmd := agent.Command{Argv: append(argv, req.Args...), Stdin: []byte(req.Prompt),
		Env: []string{"OPENCODE_PERMISSION=" + cmp.Or(permissions[permission], permission), "OPENCODE_DISABLE_AUTOUPDATE=1"}}
	if req.MaxCostUSD > 0 {
		cmd.Notes = append(cmd.Notes, fmt.Sprintf("opencode has no spend cap: $%g is not held", req.MaxCostUSD))
	}
	if len(req.Tools.Argv) > 0 {
		pair, err := withServer(req.Tools, req.Environ)
		if err != nil {
			cmd.Notes = append(cmd.Notes, "opencode goes without the tools of memory: "+err.Error())
		} else {
			cmd.Env = append(cmd.Env, pair)
		}
	}
	return cmd, nil
}

// contentVar passes the settings of one run, which opencode adds to the others.
const contentVar = "OPENCODE_CONFIG_CONTENT"

// withServer returns the settings of the run with an additional server of tools.
func withServer(t agent.Tools, environ []string) (string, error) {
	settings := map[string]any{}
	for _, pair := range environ {
		text, set := strings.CutPrefix(pair, contentVar+"=")
		if set && text != "" && json.Unmarshal([]byte(text), &settings) != nil {
			return "", errors.New(contentVar + " is set already, and is no JSON object")
		}
	}
	servers, _ := settings["mcp"].(map[string]any)
	if servers == nil {
		servers = map[string]any{}
	}
	servers[t.Name] = map[string]any{"type": "local", "command": t.Argv, "enabled": true}
	settings["mcp"] = servers
	text, err := json.Marshal(settings)
	return contentVar + "=" + string(text), err
}

func (o opencode) Decoder() agent.Decoder { return newDecoder() }
