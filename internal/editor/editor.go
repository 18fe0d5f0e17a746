// Package editor opens the user's editor.
package editor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"golang.org/x/term"
)

// ErrNone means that the user has no editor.
var ErrNone = errors.New("there is no editor")

// Command returns the user's editor and its arguments: $VISUAL, $EDITOR, git's
// core.editor, or the editor of the system: vi, on Windows notepad. The only
// error is ErrNone. in and out are what the editor will read and write.
func Command(ctx context.Context, in, out *os.File) ([]string, error) {
	if argv := strings.Fields(cmp.Or(os.Getenv("VISUAL"), os.Getenv("EDITOR"))); len(argv) > 0 {
		return argv, nil
	}
	core, _ := exec.CommandContext(ctx, "git", "config", "core.editor").Output() // fails if git is missing
	if argv := strings.Fields(string(core)); len(argv) > 0 {
		return argv, nil
	}
	return ofSystem(runtime.GOOS, term.IsTerminal(int(in.Fd())) && term.IsTerminal(int(out.Fd())))
}

// ofSystem returns the editor that a system has by itself. vi needs a terminal
// whose cursor it can move.
func ofSystem(system string, terminal bool) ([]string, error) {
	name := "vi"
	if system == "windows" {
		name = "notepad"
	} else if kind := os.Getenv("TERM"); !terminal || kind == "" || kind == "dumb" {
		return nil, ErrNone
	}
	if _, err := exec.LookPath(name); err != nil {
		return nil, ErrNone
	}
	return []string{name}, nil
}

// Open opens the user's editor on a file and waits until it ends. It needs the
// terminal: in and out must be connected to it.
func Open(ctx context.Context, path string, in, out *os.File) error {
	argv, err := Command(ctx, in, out)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, argv[0], append(argv[1:], path)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", strings.Join(argv, " "), err)
	}
	return nil
}
