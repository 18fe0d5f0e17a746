package faulttest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestMain(m *testing.M) {
	Start()
	os.Exit(m.Run())
}

// TestEveryCallIsSeen checks that the calls of a shell and its child arrive in
// order with their files, and that a call answered with an error is not made.
func TestEveryCallIsSeen(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	script := `echo one > a; mkdir d; cp a d/b; mv d/b d/c; rm a; echo two > x`
	for _, refused := range []string{"", "mkdir", "openat " + dir + "/x"} {
		var calls []string
		cmd := exec.Command("/bin/sh", "-c", script)
		cmd.Dir = dir
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		err := Run(cmd, func(c Call) syscall.Errno {
			if !strings.HasPrefix(c.Path, dir) {
				return 0
			}
			calls = append(calls, c.Name+" "+strings.TrimPrefix(c.Path, dir))
			if refused != "" && (c.Name == refused || c.String() == refused) {
				return syscall.ENOSPC
			}
			return 0
		})
		got := strings.Join(calls, "\n")
		for _, want := range []string{"openat /a\n", "write /a\n", "mkdir /d\n", "unlinkat /a\n"} {
			if !strings.Contains(got, want) {
				t.Errorf("refusing %q: no %q among\n%s", refused, want, got)
			}
		}
		_, noFolder := os.Stat(filepath.Join(dir, "d"))
		switch {
		case refused == "" && (err != nil || stderr.Len() > 0):
			t.Errorf("error %v: %s", err, &stderr)
		case refused != "" && !strings.Contains(strings.ToLower(stderr.String()), "no space left"):
			t.Errorf("refusing %q: stderr %q", refused, &stderr)
		case refused == "mkdir" && noFolder == nil:
			t.Error("the folder that was refused is there")
		case strings.HasSuffix(refused, "/x") && err == nil:
			t.Error("the last command was refused its file, and the shell ended well")
		}
		if err := os.RemoveAll(filepath.Join(dir, "d")); err != nil {
			t.Fatal(err)
		}
	}
}
