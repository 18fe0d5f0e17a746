package writeback

import (
	"strings"
	"testing"
)

// A log that is nothing but rubbish is one sentence, not one a line.
func TestDamageIsToldOnce(t *testing.T) {
	v := newView()
	v.replay("log", []byte(strings.Repeat("rubbish\n", 1000)), 100)
	if want := "log: 1000 lines of 7000 bytes, the first at offset 100, were skipped: checksum does not match"; len(v.damaged) != 1 || v.damaged[0] != want {
		t.Errorf("told %q, want %q once", v.damaged, want)
	}
	v = newView()
	v.replay("log", []byte("rubbish\n"), 0)
	if len(v.damaged) != 1 || !strings.HasPrefix(v.damaged[0], "log: a line of 7 bytes at offset 0 was skipped") {
		t.Errorf("told %q of one line", v.damaged)
	}
}
