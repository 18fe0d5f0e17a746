package apptest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentflow/app"
	"agentflow/app/fact"
)

// Remembered stores a fact and returns its id.
func Remembered(t testing.TB, m *app.Memory, text string) string {
	t.Helper()
	done, err := fact.Remember(t.Context(), m, fact.RememberRequest{Change: fact.Change{Text: &text}})
	if err != nil {
		t.Fatal(err)
	}
	return done.Fact.ID
}

// MemoryText returns the content of the Markdown files of the repository's memory.
func MemoryText(t testing.TB, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, ".agentflow/memory/*.md"))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(data)
	}
	return all.String()
}
