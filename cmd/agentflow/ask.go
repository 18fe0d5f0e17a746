package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"agentflow/app"
)

// confirm asks on a terminal; elsewhere it insists on --yes.
func (c *cli) confirm(question string, yes bool) error {
	if yes {
		return nil
	}
	if !c.inTTY || !c.errTTY {
		return hintedUsage("add --yes", "asking for confirmation: not on a terminal")
	}
	if !c.agreed(question) {
		return &app.Error{Kind: app.KindRefused, Err: errors.New("nothing was changed")}
	}
	return nil
}

// agreed asks on the terminal that is there.
func (c *cli) agreed(question string) bool {
	fmt.Fprintf(c.err, "%s [y/N] ", question)
	answer, _ := bufio.NewReader(c.in).ReadString('\n')
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes"
}

// userEditor is the user's editor with its arguments: $VISUAL, $EDITOR, or
// git's core.editor.
func userEditor(ctx context.Context) ([]string, error) {
	if argv := strings.Fields(cmp.Or(os.Getenv("VISUAL"), os.Getenv("EDITOR"))); len(argv) > 0 {
		return argv, nil
	}
	out, _ := exec.CommandContext(ctx, "git", "config", "core.editor").Output() // without git there is none
	if argv := strings.Fields(string(out)); len(argv) > 0 {
		return argv, nil
	}
	return nil, hintedUsage("set EDITOR, or git's core.editor", "there is no editor")
}

// editFile opens the user's editor on a file and waits until it ends.
func (c *cli) editFile(ctx context.Context, path string) error {
	argv, err := userEditor(ctx)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, argv[0], append(argv[1:], path)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stderr, os.Stderr // c.err is no terminal to an editor
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", strings.Join(argv, " "), err)
	}
	return nil
}
