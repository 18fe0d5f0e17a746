//go:build unix

package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"agentflow/cmd/agentflow/cli"
	"agentflow/internal/testing/labtest"
)

// A command that waits forever, as for the writer of a pipe that it reads,
// ends with the first signal, and with that signal's exit code. The deadline is
// the test's: without the fix the command never ends.
func TestSignalsEndWhatWaits(t *testing.T) {
	for name, c := range map[string]struct {
		signal os.Signal
		args   []string
		code   int
	}{
		"interrupt":         {os.Interrupt, []string{"run", "--agent", "command", "-f", "PIPE", "--", "true"}, cli.ExitInterrupted},
		"termination":       {syscall.SIGTERM, []string{"run", "--agent", "command", "-f", "PIPE", "--", "true"}, cli.ExitTerminated},
		"several runs":      {os.Interrupt, []string{"run", "--parallel", "2", "--agent", "command", "-f", "PIPE", "--", "true"}, cli.ExitInterrupted},
		"import":            {os.Interrupt, []string{"memory", "import", "PIPE"}, cli.ExitInterrupted},
		"questions":         {syscall.SIGTERM, []string{"eval", "queries", "PIPE"}, cli.ExitTerminated},
		"a history of yore": {os.Interrupt, []string{"eval", "cochange", "--log", "PIPE"}, cli.ExitInterrupted},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, "")
			l.Agentflow("init")
			pipe := filepath.Join(t.TempDir(), "pipe")
			if err := syscall.Mkfifo(pipe, 0o600); err != nil {
				t.Fatal(err)
			}
			for i, arg := range c.args {
				if arg == "PIPE" {
					c.args[i] = pipe
				}
			}
			cmd := l.Start(c.args...)
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			end := writer(t, pipe, ended)
			defer end.Close()
			if err := cmd.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			select {
			case err := <-ended:
				var exit *exec.ExitError
				if !errors.As(err, &exit) || exit.ExitCode() != c.code {
					t.Errorf("ended with %v\n%s%s", err, &cmd.Out, &cmd.Err)
				}
			case <-time.After(time.Minute):
				_ = cmd.Process.Kill()
				t.Fatal("it goes on waiting")
			}
		})
	}
}

// writer opens a pipe for writing as soon as the command reads it.
func writer(t *testing.T, pipe string, ended <-chan error) *os.File {
	t.Helper()
	var end *os.File
	labtest.Await(t, "a reader", func() bool {
		select {
		case err := <-ended:
			t.Fatalf("it ended before: %v", err)
		default:
		}
		fd, err := syscall.Open(pipe, syscall.O_WRONLY|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0) // fails without a reader
		if err == nil {
			end = os.NewFile(uintptr(fd), pipe)
		}
		return err == nil
	})
	return end
}
