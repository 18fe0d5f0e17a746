//go:build linux || darwin

package proc_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"agentflow/internal/proc"
)

func TestWhatIsStarted(t *testing.T) {
	dir := t.TempDir()
	for path, mode := range map[string]fs.FileMode{
		"bin/tool": 0o755, "plain/tool": 0o644, "tool": 0o755, "text": 0o644, "bin/odd": 0o755,
	} {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("#!/bin/sh\necho \"$0\"\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "bin/odd"), []byte("\x00not a program"), 0o755); err != nil {
		t.Fatal(err)
	}
	bin, plain := filepath.Join(dir, "bin"), filepath.Join(dir, "plain")
	for _, test := range []struct {
		name, program, dir, path string
		runs                     string
		err                      error
	}{
		{name: "in the given PATH", program: "tool", path: plain + ":" + bin, runs: bin + "/tool"},
		{name: "relative to the directory", program: "./tool", runs: dir + "/tool"},
		{name: "relative, without a dot", program: "bin/tool", runs: dir + "/bin/tool"},
		{name: "absolute", program: bin + "/tool", runs: bin + "/tool"},
		{name: "not in PATH", program: "tool", path: plain, err: exec.ErrNotFound},
		{name: "no PATH", program: "tool", err: exec.ErrNotFound},
		{name: "no name", program: "", path: bin, err: exec.ErrNotFound},
		{name: "no such file", program: "./none", err: exec.ErrNotFound},
		{name: "no such file is also that", program: "./none", err: fs.ErrNotExist},
		{name: "through a relative entry", program: "tool", path: ".:" + bin, err: exec.ErrDot},
		{name: "through an empty entry", program: "tool", path: ":" + bin, err: exec.ErrDot},
		{name: "not executable", program: "./text", err: fs.ErrPermission},
		{name: "a directory", program: "./bin", err: syscall.EISDIR},
		{name: "no program", program: "./bin/odd", err: syscall.ENOEXEC},
		{name: "no such directory", program: "/bin/sh", dir: dir + "/none", err: fs.ErrNotExist},
		{name: "no directory", program: "/bin/sh", dir: dir + "/text", err: syscall.ENOTDIR},
	} {
		t.Run(test.name, func(t *testing.T) {
			out := newSink()
			spec := proc.Spec{Argv: []string{test.program}, Dir: dir, Env: []string{"PATH=" + test.path}, Stdout: out}
			if test.dir != "" {
				spec.Dir = test.dir
			}
			p, err := proc.Start(spec)
			if !errors.Is(err, test.err) || (err == nil) != (test.err == nil) {
				t.Fatalf("got %v, want %v", err, test.err)
			}
			if err != nil {
				return
			}
			wait(t, p)
			p.End(t.Context())
			if out.String() != test.runs+"\n" {
				t.Errorf("ran %q, want %q", out.String(), test.runs)
			}
		})
	}
}

func TestNothingToStart(t *testing.T) {
	if _, err := proc.Start(proc.Spec{}); err == nil {
		t.Error("no error")
	}
}
