package builtin

import (
	"os"
	"path/filepath"
	"testing"

	"agentflow/internal/config"
)

// TestSchedulesNameAgents expects a schedule to accept each agent of the table, and a program.
func TestSchedulesNameAgents(t *testing.T) {
	names := []string{"command"}
	for _, a := range Agents {
		names = append(names, a.Name)
	}
	for _, name := range names {
		file := filepath.Join(t.TempDir(), "config.toml")
		text := "[[schedule]]\nname = \"a\"\ncron = \"@daily\"\ntask = \"x\"\nagent = \"" + name + "\"\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := config.Load(config.Layers{UserFile: file}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
