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

func TestReason(t *testing.T) {
	for text, want := range map[string]string{
		"hook: checking\nfatal: no such thing\n":                                                                       "fatal: no such thing",
		"fatal: couldn't find remote ref refs/x\nfatal: the remote end hung up unexpectedly\n":                         "fatal: couldn't find remote ref refs/x; fatal: the remote end hung up unexpectedly",
		"git@example.com: Permission denied (publickey).\r\nfatal: Could not read from remote repository.\n\nPlease\n": "git@example.com: Permission denied (publickey). ; fatal: Could not read from remote repository.; Please",
		"fatal: the remote end hung up unexpectedly":                                                                   "fatal: the remote end hung up unexpectedly",
		"one\ntwo\nthree\nfour": "two; three; four",
	} {
		if got := Reason(text); got != want {
			t.Errorf("of %q the reason is %q, want %q", text, got, want)
		}
	}
}
