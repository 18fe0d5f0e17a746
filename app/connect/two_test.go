package connect_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"agentflow/app"
	"agentflow/app/connect"
	"agentflow/app/open"
)

// TestTwoFoldersOfSettings connects Claude with two CLAUDE_CONFIG_DIRs and disconnects them one
// after the other. Disconnecting the first does not change the second.
func TestTwoFoldersOfSettings(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for claude is a shell script")
	}
	for _, hooks := range []bool{true, false} {
		c := newConnecting(t)
		claude := c.put("bin/claude", "#!/bin/sh\nexit 0\n", 0o700)
		in := func(folder string) *app.Memory {
			m, err := open.Open(t.Context(), c.home, app.Env{Program: c.program, Vars: []string{"HOME=" + c.home,
				"PATH=" + filepath.Dir(claude) + ":" + os.Getenv("PATH"), "CLAUDE_CONFIG_DIR=" + filepath.Join(c.home, folder)}})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { m.Close() })
			return m
		}
		apply := func(folder string, with bool) string {
			req := connect.ConnectRequest{Agents: []string{"claude"}, Hooks: hooks}
			plan, err := connect.PlanConnect(t.Context(), in(folder), req)
			if !with {
				plan, err = connect.PlanDisconnect(t.Context(), in(folder), req)
			}
			if err == nil {
				_, err = connect.ApplyConnect(t.Context(), in(folder), plan)
			}
			if err != nil {
				t.Fatal(err)
			}
			return strings.Join(plan.Change.Commands, "\n")
		}
		way := func(folder string) string {
			found, err := connect.ConnectStatus(t.Context(), in(folder))
			if err != nil {
				t.Fatal(err)
			}
			return found.Connections[0].Way
		}
		c.put("A/settings.json", "{}\n", 0o600)
		apply("A", true)
		apply("B", true)
		settings := c.read(filepath.Join(c.home, "B", "settings.json"))
		state := filepath.Join(c.home, ".local", "state", "agentflow", "connect", "claude.json")
		plugin := filepath.Join(c.home, ".local", "share", "agentflow", "connect", "claude")

		said := apply("A", false)
		if way("A") != "" || c.read(filepath.Join(c.home, "A", "settings.json")) != "{}\n" {
			t.Errorf("hooks %v: A is connected by %q", hooks, way("A"))
		}
		if way("B") == "" || c.read(filepath.Join(c.home, "B", "settings.json")) != settings {
			t.Errorf("hooks %v: disconnecting A changed B", hooks)
		}
		if _, err := os.Stat(filepath.Join(plugin, ".claude-plugin", "marketplace.json")); !hooks && (err != nil || !strings.Contains(said, "keep "+plugin)) {
			t.Errorf("the plugin of B: %v; the plan says %q", err, said)
		}
		apply("B", false)
		for _, path := range []string{state, plugin, filepath.Join(c.home, "B", "settings.json")} {
			if _, err := os.Stat(path); !os.IsNotExist(err) {
				t.Errorf("hooks %v: %s is left: %v", hooks, path, err)
			}
		}
	}
}
