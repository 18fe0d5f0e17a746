package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"agentflow/app"
	"agentflow/internal/editor"
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
	answer := strings.ToLower(c.answer(question + " [y/N] "))
	return answer == "y" || answer == "yes"
}

// answer is a line that the person at the terminal writes.
func (c *cli) answer(question string) string {
	fmt.Fprint(c.err, question)
	line, _ := bufio.NewReader(c.in).ReadString('\n')
	return strings.TrimSpace(line)
}

// editFile opens the user's editor on a file and waits until it ends.
func editFile(ctx context.Context, path string) error {
	return editorError(editor.Open(ctx, path, os.Stdin, os.Stderr)) // stdout is for answers
}

func editorError(err error) error {
	if errors.Is(err, editor.ErrNone) {
		return hintedUsage("set EDITOR, or git's core.editor", "%w", err)
	}
	return err
}
