//go:build e2e

package main_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// finished is a process that has ended.
type finished struct {
	code           int
	stdout, stderr string
	took           time.Duration
}

// started is agentflow while it runs.
type started struct {
	lab    *lab
	cmd    *exec.Cmd
	out    bytes.Buffer
	errOut bytes.Buffer
	at     time.Time
}

func (l *lab) start(args ...string) *started {
	l.Helper()
	s := &started{lab: l, cmd: exec.CommandContext(l.Context(), l.agentflow, args...), at: time.Now()}
	s.cmd.Dir, s.cmd.Env = l.project, l.env()
	s.cmd.Stdout, s.cmd.Stderr = &s.out, &s.errOut
	l.must(s.cmd.Start())
	return s
}

// wait returns when the process has ended; one that takes too long is killed.
func (s *started) wait() finished {
	s.lab.Helper()
	limit := time.AfterFunc(caseLimit, func() { _ = s.cmd.Process.Kill() })
	err := s.cmd.Wait()
	f := finished{s.cmd.ProcessState.ExitCode(), s.out.String(), s.errOut.String(), time.Since(s.at)}
	if !limit.Stop() {
		s.lab.Fatalf("%q did not end within %v (%v)\n%s", s.cmd.Args, caseLimit, err, f.stderr)
	}
	return f
}

// run runs agentflow to its end and wants an exit code.
func (l *lab) run(code int, args ...string) finished {
	l.Helper()
	return l.start(args...).wait().want(l, code)
}

func (f finished) want(l *lab, code int) finished {
	l.Helper()
	if f.code != code {
		l.Fatalf("exit code %d, want %d\nstdout: %.2000s\nstderr: %.4000s", f.code, code, f.stdout, f.stderr)
	}
	return f
}

// processes lists the processes with this lab's home in their environment. Without
// /proc the list is empty.
func (l *lab) processes() []string {
	var left []string
	environs, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range environs {
		environ, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(environ, []byte("HOME="+l.home+"\x00")) {
			continue // gone, or not ours
		}
		cmdline, err := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		if err == nil && len(cmdline) > 0 { // empty: a zombie that its parent has not collected
			left = append(left, filepath.Base(filepath.Dir(path))+" "+string(bytes.ReplaceAll(cmdline, []byte{0}, []byte(" "))))
		}
	}
	return left
}
