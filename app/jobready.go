package app

import (
	"context"
	"fmt"
	"os/exec"
)

// ready says why an agent cannot run with nobody there: one that has no login
// would fail for a reason that nobody sees, or wait for somebody to log in.
func (s *site) ready(ctx context.Context, agent string) error {
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
	if agent != "claude" || s.claudeHasKey() != "" {
		return nil
	}
	if home := s.dirs.Home; home != "" && !isDir(home) {
		return fmt.Errorf("claude has no key in its environment, and HOME is %s, which is no folder to find a login in", home)
	}
	if s.claudeHasCredentials() {
		return nil
	}
	return s.claudeLogin(ctx, program)
}
