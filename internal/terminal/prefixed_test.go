package terminal

import (
	"bytes"
	"strings"
	"testing"
)

// A line of several agents' output stays whole, with the number of its run.
func TestPrefixed(t *testing.T) {
	var out bytes.Buffer
	w := &Prefixed{To: &out, Prefix: "[2] ", Clean: strings.ToLower}
	for _, text := range []string{"HALF ", "a line\nre", "st"} {
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	w.End()
	w.End()
	if got, want := out.String(), "[2] half a line\n[2] rest\n"; got != want {
		t.Errorf("passed on %q, want %q", got, want)
	}
}
