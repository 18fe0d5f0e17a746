// Package editor opens the user's editor.
package editor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// ErrNone means that the user has no editor.
var ErrNone = errors.New("there is no editor")

// Command returns the user's editor and its arguments: $VISUAL, $EDITOR, or
// git's core.editor. The only error is ErrNone.
func Command(ctx context.Context) ([]string, error) {
	if argv := strings.Fields(cmp.Or(os.Getenv("VISUAL"), os.Getenv("EDITOR"))); len(argv) > 0 {
		return argv, nil
	}
	out, _ := exec.CommandContext(ctx, "git", "config", "core.editor").Output() // fails if git is missing
	if argv := strings.Fields(string(out)); len(argv) > 0 {
		return argv, nil
	}
	return nil, ErrNone
}

// Open opens the user's editor on a file and waits until it ends. It needs the
// terminal: in and out must be connected to it.
func Open(ctx context.Context, path string, in, out *os.File) error {
	argv, err := Command(ctx)
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
