package server

import (
	"os"
	"strings"
	"testing"
)

// TestRoutesAreDocumented checks that docs/doors.md has a row for each route,
// and for no other.
func TestRoutesAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/doors.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		row, _, ok := strings.Cut(strings.TrimPrefix(line, "| `"), "` |")
		if method, path, two := strings.Cut(row, " "); ok && two && strings.ToUpper(method) == method && strings.HasPrefix(path, "/") {
			rows[row] = true
		}
	}
	for _, r := range routes() {
		name := r.method + " " + strings.Replace(strings.TrimPrefix(r.path, base), "...}", "}", 1)
		if !rows[name] {
			t.Errorf("docs/doors.md does not have %s", name)
		}
		delete(rows, name)
	}
	for name := range rows {
		t.Errorf("docs/doors.md has %s, which is no route", name)
	}
}
