package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
)

// ready says why an agent cannot run with nobody there: one that has no login
// would fail for a reason that nobody sees, or wait for somebody to log in.
func (s *site) ready(ctx context.Context, agent string) error {
	home, user := "HOME", "USER"
	if runtime.GOOS == "windows" {
		home, user = "USERPROFILE", "USERNAME"
	}
	for _, name := range []string{home, user} {
		if s.getenv(name) == "" {
			return fmt.Errorf("%s is not set: agents find their login by it", name)
		}
	}
	if !isDir(s.getenv(home)) {
		return fmt.Errorf("%s is %s, which is no folder: agents find their login there", home, s.getenv(home))
	}
	argv := []string{"claude"}
	if named, ok := s.settings.Agents[agent]; ok {
		argv = named.Argv
	} else if agent != "claude" {
		return fmt.Errorf("agent %s cannot run by itself: only claude and those named in the settings can", agent)
	}
	program, err := exec.LookPath(argv[0])
	if err != nil {
		return fmt.Errorf("looking for agent %s: %w", agent, err)
	}
	if agent == "claude" {
		return s.claudeLogin(ctx, program)
	}
	return nil
}

// claudeKeys are the variables by which Claude Code is logged in, or told to
// use another provider, whose login is its own affair.
var claudeKeys = []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN",
	"CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"}

// askLogin is how long Claude Code may take to say whether it is logged in.
const askLogin = 15 * time.Second

// claudeLogin says whether Claude Code is logged in. Only where neither the
// environment nor a file shows it, which on a Mac may be in the keychain, is
// the program asked: that takes most of a second and no network.
func (s *site) claudeLogin(ctx context.Context, program string) error {
	for _, name := range claudeKeys {
		if s.getenv(name) != "" {
			return nil
		}
	}
	folder := s.getenv("CLAUDE_CONFIG_DIR")
	if folder == "" {
		folder = filepath.Join(s.dirs.Home, ".claude")
	}
	if info, err := os.Stat(filepath.Join(folder, ".credentials.json")); err == nil && info.Size() > 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, askLogin)
	defer cancel()
	out, err := exec.CommandContext(ctx, program, "auth", "status").Output()
	var status struct{ LoggedIn *bool }
	switch {
	case json.Unmarshal(out, &status) == nil && status.LoggedIn != nil && *status.LoggedIn:
		return nil
	case status.LoggedIn != nil:
		return errors.New("claude is not logged in: log in with 'claude auth login', or set ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN")
	}
	return fmt.Errorf("claude has no key and no credentials, and 'claude auth status' does not say that it is logged in (%w)",
		errors.Join(err, ctx.Err()))
}
