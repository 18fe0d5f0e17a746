package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestGenerated compares the generated documents with the code. UPDATE_DOCS=1
// writes them instead.
func TestGenerated(t *testing.T) {
	const root = "../../.."
	objects, err := Objects(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range regexp.MustCompile("(?m)^\\| `[a-z_]+` \\| [^|]* \\| *(may be left out)? *\\|$").FindAllString(objects, -1) {
		t.Errorf("docs/json.md says nothing of %s", row)
	}
	for name, want := range map[string]string{"settings.md": Settings(), "json.md": objects} {
		path := filepath.Join(root, "docs", name)
		if os.Getenv("UPDATE_DOCS") != "" {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		have, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if string(have) != want {
			t.Errorf("docs/%s is stale: run 'make docs'", name)
		}
	}
}
