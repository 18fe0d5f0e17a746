package transfer

import (
	"strings"
	"testing"
)

// TestNotesAreAnAgents: an export marks the text of the folder notes as an agent's.
func TestNotesAreAnAgents(t *testing.T) {
	files := map[string][]byte{"notes/prefs.txt.md": []byte("- tea in the morning\n"), "MEMORY.md": []byte("- coffee at noon\n")}
	var out strings.Builder
	if n, err := Export(&out, inMemory(files), "jsonl", Filter{}); err != nil || n != 2 {
		t.Fatalf("%d, %v", n, err)
	}
	for line := range strings.Lines(out.String()) {
		if strings.Contains(line, `"kind":"file"`) {
			continue // the whole file, before what it says
		}
		if strings.Contains(line, `"source":"agent"`) != strings.Contains(line, "tea") {
			t.Error(line)
		}
	}
}
