package redact

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestOrdinarySources counts the redactions in 100,000 lines of the Go sources,
// which every machine that runs this test has, and in our go.sum. They hold no
// secrets except a few test keys.
func TestOrdinarySources(t *testing.T) {
	const lines, most = 100_000, 5
	r := newRedactor(t, Options{})
	taken, redacted := 0, 0
	for _, path := range sources(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		before := strings.Split(string(text), "\n")
		taken += len(before)
		for i, after := range strings.Split(r.Text(string(text)), "\n") {
			if n := strings.Count(after, markOpen) - strings.Count(before[i], markOpen); n > 0 {
				redacted += n
				t.Logf("%s:%d: %s", path, i+1, after[:min(len(after), 120)])
			}
		}
		if taken >= lines {
			break
		}
	}
	t.Logf("%d redactions in %d lines", redacted, taken)
	if taken < lines || redacted > most {
		t.Errorf("%d redactions in %d lines, want at most %d in %d", redacted, taken, most, lines)
	}
}

// sources returns our go.sum, which has to stay unchanged, and the Go sources
// other than tests.
func sources(t *testing.T) []string {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	list := []string{filepath.Join("..", "..", "go.sum")}
	err = filepath.WalkDir(filepath.Join(strings.TrimSpace(string(root)), "src"), func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "testdata":
			return fs.SkipDir
		case d.Type().IsRegular() && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			list = append(list, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}
