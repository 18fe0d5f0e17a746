package journal

import (
	"strings"
	"testing"
)

// A log that is nothing but rubbish is one sentence, not one a line.
func TestDamageIsToldOnce(t *testing.T) {
	for text, want := range map[string]string{
		strings.Repeat("rubbish\n", 1000): "log: 1000 lines of 7000 bytes, the first at offset 100, were skipped: checksum does not match",
		"rubbish\n":                       "log: a line of 7 bytes at offset 100 was skipped: checksum does not match",
	} {
		if _, damage := Each("log", []byte(text), 100, nil); len(damage) != 1 || damage[0] != want {
			t.Errorf("told %q, want %q once", damage, want)
		}
	}
}
