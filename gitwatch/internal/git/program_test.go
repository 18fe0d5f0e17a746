package git

import (
	"strings"
	"testing"
)

func TestCommandOf(t *testing.T) {
	for line, command := range map[string]string{"status -z": "status", "-c a=b -c c=d log -g": "log", "--literal-pathspecs ls-files -z": "ls-files", "-c": "-c"} {
		if got := commandOf(strings.Fields(line)); got != command {
			t.Errorf("the command of %q is %q, want %q", line, got, command)
		}
	}
}
