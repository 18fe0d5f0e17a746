// Package archtest holds the direction of imports between our packages.
package archtest

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// allowed lists, for each of our packages, which others it may import. All may
// import the small packages, which are those below internal/ that are not
// listed here. A small package imports only small ones, except that packages
// below internal/testing/ may import all that they test; only tests import
// those. A door, such as cmd/agentflow, imports app and the packages in it, the
// packages that only compute, and internal/terminal, which no other may. app
// and the packages in it use everything below them.
var allowed = map[string][]string{
	"cmd/agentflow":         {"app", "cmd/agentflow/cli", "cmd/agentflow/help", "cmd/agentflow/history", "cmd/agentflow/find", "cmd/agentflow/work", "cmd/agentflow/facts", "cmd/agentflow/sharing", "cmd/agentflow/setup", "cmd/agentflow/doors"},
	"cmd/agentflow/cli":     {"app", "app/api", "internal/describe", "memory", "memory/quote"},
	"cmd/agentflow/help":    {"app", "cmd/agentflow/cli", "docs", "internal/config"},
	"cmd/agentflow/history": {"app", "app/api", "cmd/agentflow/cli", "internal/describe", "memory", "memory/changeset", "memory/quote"},
	"cmd/agentflow/find":    {"app", "app/api", "cmd/agentflow/cli", "internal/describe", "memory", "memory/quote", "memory/retrieval"},
	"cmd/agentflow/work":    {"app", "app/api", "cmd/agentflow/cli", "cmd/agentflow/history", "internal/describe", "memory", "memory/changeset"},
	"cmd/agentflow/facts":   {"app", "app/api", "cmd/agentflow/cli", "cmd/agentflow/find", "cmd/agentflow/history", "internal/describe", "memory", "memory/quote"},
	"cmd/agentflow/sharing": {"app", "app/api", "cmd/agentflow/cli", "internal/share", "memory/quote"},
	"cmd/agentflow/setup":   {"app", "app/api", "cmd/agentflow/cli", "cmd/agentflow/find", "internal/config", "internal/describe", "memory", "memory/retrieval"},
	"cmd/agentflow/doors":   {"app", "app/api", "app/chat", "app/session/hook", "cmd/agentflow/cli", "cmd/agentflow/setup", "mcp", "memory", "server", "server/page"},
	"internal/describe":     {"app/api", "internal/consolidate", "memory", "memory/changeset", "memory/markdown", "memory/quote", "memory/retrieval", "memory/trailer"},
	"mcp":                   {"app", "app/api", "internal/describe", "memory", "memory/quote", "memory/retrieval", "internal/memorytool"},
	"app/chat":              {"app", "app/api", "internal/describe", "memory", "memory/quote", "memory/retrieval", "internal/memorytool"},
	"server/page":           {"app", "app/api", "internal/describe", "memory", "memory/retrieval"},
	"server":                {"app", "app/api", "memory", "memory/retrieval", "internal/memorytool"},
	"app/session/hook":      {"app", "memory/quote"},
	"internal/memorytool":   {"memory", "memory/quote"},

	"app/api":               {"internal/consolidate", "memory", "memory/changeset", "memory/retrieval", "internal/transfer"},
	"memory":                {"memory/changeset"},
	"internal/connect":      {},
	"internal/agentdocs":    {},
	"docs":                  {},
	"embed":                 {},
	"prompt":                {"memory", "memory/changeset", "memory/markdown", "memory/quote", "memory/retrieval", "memory/trailer"},
	"internal/config":       {"internal/schedule/times"},
	"gitwatch":              {"memory", "memory/changeset", "gitwatch/toolcalls", "gitwatch/edits", "gitwatch/reflog", "gitwatch/internal/attribution", "gitwatch/internal/git", "gitwatch/internal/gitindex", "gitwatch/internal/linediff", "gitwatch/internal/objects", "gitwatch/internal/repo", "gitwatch/internal/scan"},
	"writeback":             {"memory", "memory/digest", "memory/markdown", "writeback/internal/archive", "writeback/internal/folder", "writeback/internal/items", "writeback/internal/journal", "writeback/internal/options", "writeback/internal/seen", "writeback/internal/settle", "writeback/internal/trace", "writeback/internal/turn", "writeback/internal/undo", "writeback/internal/view"},
	"index":                 {"memory", "memory/chunk", "memory/digest", "memory/markdown", "memory/retrieval", "embed", "index/contents", "index/files", "index/quantized", "index/question", "index/rank", "index/sources", "index/sqlite", "index/stems", "index/store", "index/dateparse"},
	"executor":              {"memory", "memory/changeset", "memory/retrieval", "prompt", "gitwatch/toolcalls", "gitwatch/reftrace", "executor/agent", "executor/agent/checks", "executor/explain", "executor/internal/bounded", "executor/runfolder", "executor/summary", "executor/supervise"},
	"internal/eval":         {"memory", "memory/changeset", "memory/markdown", "memory/retrieval"},
	"internal/eval/factfit": {"internal/eval/factset", "index/factrank", "memory"},
	"internal/eval/past":    {"gitwatch/history", "index/contents"},
	"internal/transfer":     {"memory", "memory/changeset", "memory/markdown"},
	"internal/indexpool":    {"index", "index/contents", "index/store"},
	"internal/embedder":     {"embed"},
	"internal/usecount":     {},
	"internal/propose":      {"internal/extract"},
	"internal/extract":      {"memory", "memory/markdown", "memory/quote"},
	"internal/schedule":     {"internal/schedule/times"},
	"internal/share":        {"memory", "memory/markdown"},
	"internal/team":         {},

	"internal/consolidate":       {"memory", "memory/markdown", "memory/quote"},
	"gitwatch/memref":            {"gitwatch/internal/git", "gitwatch/internal/repo"},
	"internal/share/exchange":    {"gitwatch/memref", "memory", "memory/markdown", "internal/share"},
	"internal/team/client":       {"memory", "memory/retrieval"},
	"executor/agent":             {"executor/agent/checks", "gitwatch/toolcalls"},
	"executor/agent/allow":       {"gitwatch/toolcalls"},
	"executor/agent/checks":      {"gitwatch/toolcalls"},
	"executor/agent/claude":      {"executor/agent", "executor/agent/checks", "executor/explain", "gitwatch/toolcalls"},
	"executor/agent/codex":       {"executor/agent", "executor/agent/checks", "gitwatch/toolcalls"},
	"executor/agent/gemini":      {"executor/agent", "gitwatch/toolcalls"},
	"executor/agent/opencode":    {"executor/agent", "executor/agent/checks", "gitwatch/toolcalls"},
	"executor/agent/priced":      {"executor/agent"},
	"executor/agent/command":     {"executor/agent", "executor/agent/claude"},
	"executor/explain":           {"memory/markdown", "memory/trailer"},
	"executor/internal/bounded":  {"executor/agent"},
	"executor/runfolder":         {"executor/agent", "memory", "memory/retrieval"},
	"executor/supervise":         {"executor/agent", "executor/runfolder"},
	"executor/summary":           {"executor/agent", "executor/agent/checks", "executor/explain", "executor/internal/bounded", "gitwatch/toolcalls", "memory", "memory/changeset", "prompt"},
	"executor/turns":             {"executor", "executor/runfolder"},
	"executor/progress":          {"executor", "executor/agent", "memory"},
	"index/contents":             {"index/stems"},
	"index/factrank":             {},
	"index/files":                {"memory", "memory/retrieval", "index/contents", "index/question", "index/stems"},
	"index/question":             {"index/stems"},
	"index/quantized":            {},
	"index/rank":                 {"memory", "memory/retrieval", "index/stems"},
	"index/sources":              {},
	"index/postgres":             {"memory", "memory/digest", "index/files", "index/quantized", "index/rank", "index/stems", "index/store"},
	"index/sqlite":               {"memory", "memory/chunk", "memory/digest", "index/files", "index/quantized", "index/rank", "index/stems", "index/store"},
	"index/stems":                {},
	"index/store":                {"memory", "memory/chunk", "memory/digest", "memory/retrieval", "index/quantized", "index/rank"},
	"memory/changeset":           {},
	"memory/retrieval":           {"memory"},
	"memory/chunk":               {"memory", "memory/changeset", "memory/internal/outline", "memory/markdown", "memory/trailer"},
	"memory/digest":              {"memory", "memory/markdown"},
	"memory/internal/outline":    {"memory"},
	"memory/markdown":            {"memory", "memory/changeset", "memory/internal/outline", "memory/retrieval"},
	"memory/quote":               {"memory"},
	"memory/trailer":             {},
	"index/watch":                {},
	"gitwatch/toolcalls":         {"memory"},
	"gitwatch/blame":             {"gitwatch/internal/git", "gitwatch/internal/linediff"},
	"gitwatch/edits":             {"memory", "memory/changeset", "gitwatch/internal/git"},
	"gitwatch/history":           {"memory", "memory/changeset", "memory/trailer", "gitwatch/internal/git"},
	"gitwatch/hook":              {"internal/config", "gitwatch/internal/git", "gitwatch/worktree"},
	"gitwatch/links":             {"memory", "memory/changeset", "memory/retrieval", "gitwatch", "gitwatch/history", "gitwatch/internal/git", "gitwatch/reflog"},
	"gitwatch/reflog":            {"gitwatch/history", "gitwatch/internal/git"},
	"gitwatch/undo":              {"memory", "memory/changeset", "gitwatch", "gitwatch/edits", "gitwatch/history", "gitwatch/internal/git"},
	"gitwatch/worktree":          {"gitwatch/internal/git"},
	"index/dateparse":            {},
	"internal/propose/proposals": {"memory"},
	"internal/schedule/times":    {},
	"writeback/internal/journal": {},
	"writeback/internal/trace":   {"memory", "writeback/internal/journal"},
	"writeback/internal/options": {"memory", "memory/digest", "writeback/internal/journal"},
	"writeback/internal/items":   {"memory", "memory/markdown", "writeback/internal/journal"},
	"writeback/internal/merge":   {"memory/markdown"},
	"writeback/internal/seen":    {"writeback/internal/items", "writeback/internal/journal"},
	"writeback/internal/folder":  {"memory", "writeback/internal/journal", "writeback/internal/options", "writeback/internal/seen"},
	"writeback/internal/view":    {"memory", "memory/markdown", "writeback/internal/items", "writeback/internal/journal"},
	"writeback/internal/archive": {"memory", "writeback/internal/items", "writeback/internal/journal", "writeback/internal/options", "writeback/internal/trace"},
	"writeback/internal/undo":    {"memory", "memory/markdown", "writeback/internal/archive", "writeback/internal/items", "writeback/internal/merge", "writeback/internal/view"},
	"writeback/internal/turn":    {"memory", "memory/digest", "memory/markdown", "writeback/internal/archive", "writeback/internal/folder", "writeback/internal/items", "writeback/internal/journal", "writeback/internal/options", "writeback/internal/seen", "writeback/internal/view"},
	"writeback/internal/settle":  {"memory", "writeback/internal/folder", "writeback/internal/items", "writeback/internal/journal", "writeback/internal/seen", "writeback/internal/turn", "writeback/internal/view"},

	"gitwatch/internal/git":         {},
	"gitwatch/internal/rules":       {"gitwatch/internal/git"},
	"gitwatch/internal/repo":        {"gitwatch/internal/git", "gitwatch/internal/rules"},
	"gitwatch/internal/objects":     {"gitwatch/internal/git", "gitwatch/internal/packs", "gitwatch/internal/repo"},
	"gitwatch/internal/packs":       {},
	"gitwatch/internal/gitindex":    {"gitwatch/internal/git", "gitwatch/internal/objects", "gitwatch/internal/repo"},
	"gitwatch/internal/fsmonitor":   {},
	"gitwatch/internal/scan":        {"memory", "gitwatch/edits", "gitwatch/internal/fsmonitor", "gitwatch/internal/git", "gitwatch/internal/gitindex", "gitwatch/internal/objects", "gitwatch/internal/repo", "gitwatch/internal/rules"},
	"gitwatch/internal/linediff":    {"gitwatch/internal/git", "gitwatch/internal/objects"},
	"gitwatch/internal/attribution": {"memory", "memory/changeset", "gitwatch/toolcalls", "gitwatch/edits", "gitwatch/internal/git", "gitwatch/internal/repo"},

	"internal/testing/gittest": {"memory", "gitwatch/internal/git"},
	"internal/testing/runtest": {"gitwatch", "gitwatch/toolcalls", "internal/testing/gittest"},
}

// topics lists the packages in app so that each imports app and packages before it only.
var topics = []string{
	"builtin", "serving", "sharing", "agentfiles", "embedding", "indexes", "memoryfiles", "trust", "lookup", "settle", "upkeep", "worktree", "highlight", "kept", "standing", "search", "purge", "share", "fact", "forget", "propose", "recall", "extract", "agent", "run", "undo",
	"session", "why", "list", "commit", "consolidate", "transfer", "connect", "daemon", "setup", "team", "eval", "open",
}

type pkg struct {
	ImportPath string
	Imports    []string
}

func TestImportsPointDown(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, "agentflow/")
		seen[name] = true
		for _, imp := range p.Imports {
			if target, ours := strings.CutPrefix(imp, "agentflow/"); ours && !mayImport(name, target) {
				t.Errorf("%s imports %s, which the layering does not allow", name, target)
			}
		}
	}
	for _, topic := range topics {
		if !seen["app/"+topic] {
			t.Errorf("the layering names app/%s, which does not exist", topic)
		}
	}
	for name := range allowed {
		if !seen[name] {
			t.Errorf("the layering names %s, which does not exist", name)
		}
	}
}

func mayImport(name, target string) bool {
	const testSupport = "internal/testing/"
	if strings.HasPrefix(name, testSupport) {
		return true
	}
	switch {
	case strings.HasPrefix(target, "cmd/") && !strings.HasPrefix(name, "cmd/"), strings.HasPrefix(target, testSupport):
		return false
	case target == "internal/terminal":
		return strings.HasPrefix(name, "cmd/")
	case name == "app":
		return target != "app" && !isTopic(target)
	case isTopic(name):
		return !isTopic(target) || slices.Index(topics, target[4:]) < slices.Index(topics, name[4:])
	case isTopic(target):
		return slices.Contains(allowed[name], "app")
	}
	targets, known := allowed[name]
	return (known || isSmall(name)) && (isSmall(target) || slices.Contains(targets, target))
}

// isSmall reports whether a package is one of those that all others may import.
func isSmall(name string) bool {
	_, listed := allowed[name]
	return strings.HasPrefix(name, "internal/") && !listed
}

// isTopic reports whether a package is one of those in app.
func isTopic(name string) bool {
	topic, ok := strings.CutPrefix(name, "app/")
	return ok && slices.Contains(topics, topic)
}

func TestTheRuleCanFail(t *testing.T) {
	for _, c := range []struct {
		name, target string
		want         bool
	}{
		{"memory", "index", false}, {"index", "memory", true}, {"executor", "index", false},
		{"internal/proc", "memory", false}, {"internal/proc", "internal/config", false}, {"memory", "internal/config", false}, {"internal/config", "internal/proc", true}, {"cmd/agentflow", "index", false}, {"app", "index", true}, {"app", "internal/terminal", false}, {"index", "cmd/agentflow", false}, {"cmd/agentflow/find", "cmd/agentflow/facts", false}, {"cmd/agentflow/facts", "cmd/agentflow/find", true},
		{"app", "app/run", false}, {"app/run", "app", true}, {"app/run", "app/fact", true}, {"app/fact", "app/run", false}, {"mcp", "app/fact", true}, {"memory", "app/fact", false},
		{"stranger", "memory", false}, {"writeback", "internal/filelock", true},
		{"gitwatch", "internal/testing/gittest", false}, {"cmd/agentflow", "internal/testing/endtest", false},
		{"internal/proc", "internal/testing/endtest", false}, {"internal/testing/runtest", "gitwatch", true},
	} {
		if got := mayImport(c.name, c.target); got != c.want {
			t.Errorf("mayImport(%s, %s) = %v, want %v", c.name, c.target, got, c.want)
		}
	}
}

// reachers lists the packages that may use the network. embed and chat connect
// to the provider that a user chooses. server listens on this machine only,
// when a user starts it; mcp and server/page make handlers for it. internal/team/client
// asks the server that a user names. gitwatch/internal/fsmonitor connects only
// to a file in the git directory.
var reachers = map[string]bool{"agentflow/gitwatch/internal/fsmonitor": true, "agentflow/embed": true, "agentflow/server": true, "agentflow/server/page": true, "agentflow/mcp": true, "agentflow/app/chat": true, "agentflow/internal/team/client": true}

// TestNoNetwork checks that of the program's packages only the reachers import
// a package that uses the network. This matters because go-git could.
// TestNoCommandOpensASocket of cmd/agentflow checks that no command opens a
// socket with the default settings.
func TestNoNetwork(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", "-f", `{{if .Module}}{{if .Module.Main}}{{.ImportPath}} {{join .Imports " "}}{{end}}{{end}}`, "agentflow/cmd/agentflow")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) < 5 {
		t.Fatalf("go list named %d packages", len(lines))
	}
	for _, line := range lines {
		words := strings.Fields(line)
		for _, imported := range words[1:] {
			reaches := imported == "net" || strings.HasPrefix(imported, "net/") && imported != "net/url" || strings.Contains(imported, "/transport")
			mayReach := reachers[words[0]] && (imported == "net" || strings.HasPrefix(imported, "net/http") || imported == "net/netip")
			if reaches && !mayReach {
				t.Errorf("%s imports %s", words[0], imported)
			}
		}
	}
}

func packages(t *testing.T) []pkg {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "agentflow/...").Output()
	if err != nil {
		t.Fatalf("listing packages: %v", err)
	}
	var all []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatalf("reading the list of packages: %v", err)
		}
		all = append(all, p)
	}
}
