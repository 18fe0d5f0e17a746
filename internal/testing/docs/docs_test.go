package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"agentflow/internal/config"
)

const root = "../../.."

func documents(t *testing.T) map[string]string {
	t.Helper()
	all, err := All(root)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestGenerated compares the generated documents with the code. UPDATE_DOCS=1
// writes them instead.
func TestGenerated(t *testing.T) {
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

// TestPartsAreNamed checks that ARCHITECTURE.md mentions each package of the
// program.
func TestPartsAreNamed(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, parts, _ := strings.Cut(string(text), "## The parts")
	parts, _, _ = strings.Cut(parts, "## What can be asked")
	named := regexp.MustCompile("[a-z]+").FindAllString(parts, -1)
	err = filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if slices.Contains([]string{"testdata", "testing", "node_modules"}, d.Name()) || strings.HasPrefix(d.Name(), ".") && path != root {
			return filepath.SkipDir
		}
		files, err := filepath.Glob(filepath.Join(path, "*.go"))
		if name := filepath.Base(path); err == nil && len(files) > 0 && !slices.Contains(named, name) {
			t.Errorf("ARCHITECTURE.md does not name %s", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestReadmeIsShort(t *testing.T) {
	if n := len(documents(t)["README.md"]); n == 0 || n > 8<<10 {
		t.Errorf("README.md has %d bytes, none or more than 8 KB", n)
	}
}

// TestLinksLead follows the links between the documents.
func TestLinksLead(t *testing.T) {
	all := documents(t)
	for name, text := range all {
		for _, m := range regexp.MustCompile(`\]\(([^)# ]*)(#[^) ]+)?\)`).FindAllStringSubmatch(text, -1) {
			to := name
			if m[1] != "" {
				to = filepath.Join(filepath.Dir(name), m[1])
			}
			if _, err := os.Stat(filepath.Join(root, to)); err != nil {
				t.Errorf("%s links to %s: %v", name, to, err)
			} else if m[2] != "" && !slices.Contains(anchors(all[to]), m[2][1:]) {
				t.Errorf("%s links to %s%s, a heading that is not there", name, to, m[2])
			}
		}
	}
}

// anchors returns the headings of a document in the form that links use.
func anchors(text string) []string {
	var list []string
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1) {
		name := strings.ReplaceAll(strings.ToLower(m[1]), " ", "-")
		list = append(list, regexp.MustCompile(`[^a-z0-9_-]`).ReplaceAllString(name, ""))
	}
	return list
}

func TestDocumentedSettingsAreUnderstood(t *testing.T) {
	for name, text := range documents(t) {
		for _, m := range regexp.MustCompile("(?s)```toml\n(.*?)```").FindAllStringSubmatch(text, -1) {
			file := filepath.Join(t.TempDir(), "config.toml")
			if err := os.WriteFile(file, []byte(m[1]), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, problems, err := config.Load(config.Layers{UserFile: file}); err != nil || len(problems) > 0 {
				t.Errorf("%s: %v %v", name, problems, err)
			}
		}
	}
}
