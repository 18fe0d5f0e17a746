package git

import (
	"strings"
	"testing"
)

func TestVerbOf(t *testing.T) {
	for line, verb := range map[string]string{"status -z": "status", "-c a=b -c c=d log -g": "log", "--literal-pathspecs ls-files -z": "ls-files", "-c": "-c"} {
		if got := verbOf(strings.Fields(line)); got != verb {
			t.Errorf("the verb of %q is %q, want %q", line, got, verb)
		}
	}
}
