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
	"strings"
)

// ErrNoProgram says that a question only git can answer met no git binary.
var ErrNoProgram = errors.New("there is no git program to ask")

// Command is the git program at work in dir. Optional locks are off,
// because a refreshed index is a write that can meet a commit at the same
// moment; the file monitor is off, because it would start a daemon.
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

// noFetch keeps git from fetching what a partial clone left out: reading never
// uses the network. Before version 2.45 git knows only the second way.
var noFetch = []string{"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none"}

// Ask is what the git program answers in dir. An error says what git said.
func Ask(ctx context.Context, dir string, stdin io.Reader, args ...string) ([]byte, error) {
	out, _, err := Said(ctx, dir, stdin, args...)
	return out, err
}

// Said is Ask, and what the program wrote to stderr beside its answer.
func Said(ctx context.Context, dir string, stdin io.Reader, args ...string) (out []byte, said string, err error) {
	cmd, err := Command(ctx, dir, args...)
	if err != nil {
		return nil, "", err
	}
	return Answer(ctx, cmd, verbOf(args), stdin)
}

// verbOf is the command among git's arguments, after the options of git itself.
func verbOf(args []string) string {
	for len(args) > 1 && strings.HasPrefix(args[0], "-") {
		if args[0] == "-c" {
			args = args[1:]
		}
		args = args[1:]
	}
	return args[0]
}

// Answer runs a git command, called by its verb where it fails.
func Answer(ctx context.Context, cmd *exec.Cmd, verb string, stdin io.Reader) (out []byte, said string, err error) {
	cmd.Stdin = stdin
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return nil, "", ctx.Err()
		}
		return nil, "", fmt.Errorf("git %s: %w: %s", verb, err, OneLine(stderr.String()))
	}
	return stdout.Bytes(), stderr.String(), nil
}

// Env takes GIT_ variables out, which inside a hook name another
// repository. Those that name config files stay: they belong to the user.
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
