package app

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// editor is the user's editor with its arguments; nil when none is set.
func (a *operation) editor() []string {
	return strings.Fields(cmp.Or(a.getenv("VISUAL"), a.getenv("EDITOR")))
}

// editFile opens the user's editor on a file and waits until it ends.
func (a *operation) editFile(ctx context.Context, path string) error {
	editor := a.editor()
	cmd := exec.CommandContext(ctx, editor[0], append(editor[1:], path)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stderr, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", strings.Join(editor, " "), err)
	}
	return nil
}
