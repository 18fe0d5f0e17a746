package builtin

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"agentflow/internal/agentdocs"
	"agentflow/internal/config"
	"agentflow/internal/connect"
)

// TestTablesNameTheSameAgents compares Agents with the tables that are in other places.
func TestTablesNameTheSameAgents(t *testing.T) {
	var names []string
	for _, b := range Agents {
		names = append(names, b.Name)
	}
	slices.Sort(names)
	for table, have := range map[string][]string{
		"variables":      slices.Sorted(maps.Keys(variables)),
		"connect.Agents": slices.Sorted(slices.Values(connect.Agents)),
	} {
		if !slices.Equal(have, names) {
			t.Errorf("%s names %q, want %q", table, have, names)
		}
	}
	top := t.TempDir()
	for _, name := range []string{"CLAUDE.md", "AGENTS.md", "GEMINI.md"} {
		if err := os.WriteFile(filepath.Join(top, name), []byte("Use tabs in every file.\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, b := range Agents {
		texts := agentdocs.Read(b.Name, agentdocs.Place{Top: top, Dir: top, Home: top, Claude: top})
		if _, read := texts.Says("Use tabs in every file."); !read {
			t.Errorf("%s: its instruction files are not known", b.Name)
		}
		file := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(file, []byte("[agent."+b.Name+"]\nmodel = \"x\"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, problems, err := config.Load(config.Layers{UserFile: file}); err != nil || len(problems) > 0 || b.Model != "agent."+b.Name+".model" {
			t.Errorf("%s: the settings have no such agent: %v %v", b.Name, problems, err)
		}
	}
}

// TestVariables: every agent has a key that logs in, and a variable that may be one is no other kind.
func TestVariables(t *testing.T) {
	for _, b := range Agents {
		v := b.Variables()
		if len(v.Folders) == 0 || len(v.Login) == 0 {
			t.Errorf("%s: %+v", b.Name, v)
		}
		for _, name := range v.Login {
			if !slices.Contains(slices.Concat(v.Services, v.Keys), name) {
				t.Errorf("%s: %s logs in, and is no service or key", b.Name, name)
			}
		}
		for _, name := range slices.Concat(v.Folders, v.Services) {
			if strings.HasSuffix(name, "_KEY") || strings.HasSuffix(name, "_TOKEN") {
				t.Errorf("%s: %s is a key", b.Name, name)
			}
		}
	}
}
