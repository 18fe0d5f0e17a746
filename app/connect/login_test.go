package connect

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentflow/app"
	"agentflow/internal/config"
)

// TestReady checks the conditions for running an agent unattended.
func TestReady(t *testing.T) {
	home, bin := t.TempDir(), t.TempDir()
	program := func(name, script string) {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	program("helper", "exit 0")
	loggedOut, loggedIn, old := `echo '{"loggedIn": false, "authMethod": "none"}'; exit 1`, `echo '{"loggedIn": true}'`, `echo 'error: unknown command' >&2; exit 1`
	t.Setenv("PATH", bin)
	for _, c := range []struct {
		name, agent, claude string
		env                 map[string]string
		credentials         string
		want                string // empty: ready
	}{
		{"an agent of the user's", "helper", "", nil, "", ""},
		{"one that is gone", "gone", "", nil, "", "looking for agent gone"},
		{"one that needs arguments", "command", "", nil, "", "agent command cannot run by itself"},
		{"no HOME", "helper", "", map[string]string{"HOME": ""}, "", ""},
		{"no USER", "claude", loggedIn, map[string]string{"USER": ""}, "", ""},
		{"a HOME that is no folder", "claude", loggedIn, map[string]string{"HOME": filepath.Join(bin, "helper")}, "", "no folder"},
		{"a HOME that is no folder, and a key", "claude", loggedIn, map[string]string{"HOME": filepath.Join(bin, "helper"), "ANTHROPIC_API_KEY": "k"}, "", ""},
		{"no claude", "claude", "", nil, "", "looking for agent claude"},
		{"a key", "claude", loggedOut, map[string]string{"ANTHROPIC_API_KEY": "k"}, "", ""},
		{"a token", "claude", loggedOut, map[string]string{"CLAUDE_CODE_OAUTH_TOKEN": "k"}, "", ""},
		{"another provider", "claude", loggedOut, map[string]string{"CLAUDE_CODE_USE_BEDROCK": "1"}, "", ""},
		{"credentials", "claude", loggedOut, nil, "{}", ""},
		{"logged in elsewhere", "claude", loggedIn, nil, "", ""},
		{"logged out", "claude", loggedOut, nil, "", "claude is not logged in"},
		{"one that does not say", "claude", old, nil, "", "does not say whether it is logged in"},
	} {
		if _ = os.Remove(filepath.Join(bin, "claude")); c.claude != "" {
			program("claude", c.claude)
		}
		folder := filepath.Join(home, ".claude")
		if err := os.RemoveAll(folder); err != nil {
			t.Fatal(err)
		}
		if c.credentials != "" {
			if err := os.MkdirAll(folder, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(folder, ".credentials.json"), []byte(c.credentials), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		env := map[string]string{"HOME": home, "USER": "tester", "USERPROFILE": home, "USERNAME": "tester"}
		for name, value := range c.env {
			env[name] = value
		}
		s := &app.Repo{Operation: &app.Operation{Getenv: func(name string) string { return env[name] }}, Dirs: config.Dirs{Home: env["HOME"]},
			Settings: &config.Config{Agents: map[string]*config.Named{"helper": {Argv: []string{"helper"}}, "gone": {Argv: []string{"gone"}}}}}
		err := Ready(t.Context(), s, c.agent)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestClaudeStatus parses the output of version 2.1.197 for each kind of login.
func TestClaudeStatus(t *testing.T) {
	for text, want := range map[string]string{
		`{"loggedIn": true, "authMethod": "api_key", "apiProvider": "firstParty", "apiKeySource": "ANTHROPIC_API_KEY"}`:                                        ", by api key of ANTHROPIC_API_KEY",
		`{"loggedIn": true, "authMethod": "oauth_token", "apiProvider": "firstParty"}`:                                                                         ", by oauth token",
		`{"loggedIn": true, "authMethod": "third_party", "apiProvider": "bedrock"}`:                                                                            ", through bedrock",
		`{"loggedIn": true, "authMethod": "claude.ai", "apiProvider": "firstParty", "email": "a@b", "orgId": "1", "orgName": null, "subscriptionType": "max"}`: ", by claude.ai, max",
		`{"loggedIn": true}`: "",
	} {
		var status claudeStatus
		if err := json.Unmarshal([]byte(text), &status); err != nil || !*status.LoggedIn || status.by() != want {
			t.Errorf("%s: %q, want %q; %v", text, status.by(), want, err)
		}
	}
}
