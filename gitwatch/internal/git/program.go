// Package git holds the parts about git itself that the packages of gitwatch share: how its program
// is run, and its ids, names, modes and blobs. It neither finds nor reads repositories.
//
// Guarantees: the program runs without optional locks, file monitor and network, and without the
// variables that name another repository inside a hook. A text that is not an id is read as none.
package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// ErrNoProgram means that only git can answer a question, and that there is no git program.
var ErrNoProgram = errors.New("there is no git program to ask")

// Command returns a command that runs git in dir. Optional locks are off, because refreshing the
// index is a write that can coincide with a commit. The file monitor is off, because it would start
// a daemon.
func Command(ctx context.Context, dir string, args ...string) (*exec.Cmd, error) {
	program, err := exec.LookPath("git")
	if err != nil {
		return nil, ErrNoProgram
	}
	for _, name := range []string{".gitattributes", ".gitignore"} {
		rules := filepath.Join(dir, name)
		if info, err := os.Lstat(rules); err == nil && info.Mode()&(fs.ModeNamedPipe|fs.ModeDevice) != 0 {
			return nil, fmt.Errorf("%s is no file: git would wait for it for ever", rules)
		}
	}
	args = append([]string{"--no-optional-locks", "-c", "core.fsmonitor=false"}, args...)
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	cmd.Env = append(Env(os.Environ()), noFetch...)
	return cmd, nil
}

// noFetch keeps git from fetching objects that a partial clone left out, because reading never uses
// the network. Git before version 2.45 knows only the second way.
var noFetch = []string{"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none"}

// Ask runs git in dir and returns its output. An error holds the text that git wrote to stderr.
func Ask(ctx context.Context, dir string, stdin io.Reader, args ...string) ([]byte, error) {
	cmd, err := Command(ctx, dir, args...)
	if err != nil {
		return nil, err
	}
	return Run(ctx, cmd, commandOf(args), stdin)
}

// Text runs Ask without standard input, and returns the output without the line feed at its end.
func Text(ctx context.Context, dir string, args ...string) (string, error) {
	out, err := Ask(ctx, dir, nil, args...)
	return strings.TrimSuffix(string(out), "\n"), err
}

// commandOf returns the command among git's arguments, after the options of git itself.
func commandOf(args []string) string {
	for len(args) > 1 && strings.HasPrefix(args[0], "-") {
		if args[0] == "-c" {
			args = args[1:]
		}
		args = args[1:]
	}
	return args[0]
}

// Run runs a git command and returns its output. name is the name of the command in an error.
func Run(ctx context.Context, cmd *exec.Cmd, name string, stdin io.Reader) ([]byte, error) {
	cmd.Stdin = stdin
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay): // it ended well; a hook's child still holds its output
		return stdout.Bytes(), nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	return nil, fmt.Errorf("git %s: %w: %s", name, err, Reason(stderr.String()))
}

// ErrEnough ends a Stream without an error.
var ErrEnough = errors.New("enough was read")

// Stream passes the output of a git command to read while git writes it, and ends git if read
// returns an error. If the output was cut off (io.ErrUnexpectedEOF), the error says why git ended.
func Stream(ctx context.Context, dir string, stdin io.Reader, read func(io.Reader) error, args ...string) error {
	running, stop := context.WithCancel(ctx)
	defer stop()
	cmd, err := Command(running, dir, args...)
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = stdin, &stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	err = read(out)
	whole := err == nil || errors.Is(err, io.ErrUnexpectedEOF)
	if !whole {
		stop()
	}
	ended := cmd.Wait()
	switch {
	case errors.Is(err, ErrEnough):
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case whole && ended != nil:
		return fmt.Errorf("git %s: %w: %s", commandOf(args), ended, Reason(stderr.String()))
	}
	return err
}

// Reason returns the text that git wrote to stderr from the last line that reports an error, or its
// last lines. The output of hooks comes before them.
func Reason(text string) string {
	lines := strings.FieldsFunc(strings.TrimSpace(text), func(r rune) bool { return r == '\n' }) // no empty ones
	from, known := max(0, len(lines)-3), false
	for i, line := range lines {
		switch isError := strings.HasPrefix(line, "fatal: ") || strings.HasPrefix(line, "error: "); {
		case isError && !isEcho(line):
			from, known = i, true
		case isError && !known:
			from, known = max(0, i-1), true
		}
	}
	return OneLine(strings.Join(lines[from:], "; "))
}

// isEcho reports whether a line says only that the program at the other end, or ssh, has given up.
// The line before it says why.
func isEcho(line string) bool {
	return strings.Contains(line, "the remote end hung up") || strings.Contains(line, "Could not read from remote repository") || strings.Contains(line, "early EOF")
}

// Exited reports whether git ended with an exit code. Some commands use one to answer no.
func Exited(err error, code int) bool {
	var exit *exec.ExitError
	return errors.As(err, &exit) && exit.ExitCode() == code
}

// Env removes GIT_ variables, which name another repository inside a hook. Those that name config
// files stay, because they belong to the user.
func Env(env []string) []string {
	kept := make([]string, 0, len(env))
	for _, v := range env {
		if !strings.HasPrefix(v, "GIT_") || strings.HasPrefix(v, "GIT_CONFIG_GLOBAL=") ||
			strings.HasPrefix(v, "GIT_CONFIG_SYSTEM=") || strings.HasPrefix(v, "GIT_CONFIG_NOSYSTEM=") {
			kept = append(kept, v)
		}
	}
	return kept
}

// Caught, deferred in the exported functions that read repositories, turns a panic into an error. A
// defect in the reader must not keep a run from starting, nor make every command fail that finishes
// the run.
func Caught(err *error) {
	if p := Panic(recover()); p != nil {
		*err = p
	}
}

// Panic returns a recovered panic as an error that says where the panic was, or nil if there was
// none.
func Panic(recovered any) error {
	switch p := recovered.(type) {
	case nil:
		return nil
	case panicked:
		return p
	}
	return panicked{fmt.Sprintf("a defect in reading it (%v, at %s)", recovered, panicSite())}
}

// panicked keeps the place of a panic that is passed on to another goroutine.
type panicked struct{ text string }

func (p panicked) Error() string { return p.text }

// panicSite returns the innermost of our own lines below the panic. The frames above it belong to
// the recovery.
func panicSite() string {
	var at [64]uintptr
	frames := runtime.CallersFrames(at[:runtime.Callers(3, at[:])])
	for more, below := true, false; more; {
		var f runtime.Frame
		f, more = frames.Next()
		below = below || f.Function == "runtime.gopanic"
		if below && strings.HasPrefix(f.Function, "agentflow/") {
			return fmt.Sprintf("%s:%d", f.File[strings.LastIndexByte(f.File, '/')+1:], f.Line)
		}
	}
	return "an unknown place"
}
