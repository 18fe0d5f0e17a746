package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode"

	"agentflow/internal/editor"

	"golang.org/x/term"
)

// confirm asks on a terminal; elsewhere it insists on --yes. It returns errDeclined if the
// answer is no.
func (c *cli) confirm(question string, yes bool) error {
	if yes {
		return nil
	}
	if !c.inTTY || !c.errTTY {
		return hintedUsage("add --yes", "asking for confirmation: not on a terminal")
	}
	if !c.agreed(question) {
		c.say("%v", errDeclined)
		return errDeclined
	}
	return nil
}

// agreed asks a question on the terminal. The default is no.
func (c *cli) agreed(question string) bool {
	answer := strings.ToLower(c.answer(question + " [y/N] "))
	return answer == "y" || answer == "yes"
}

// agreedUnlessNo asks a question on the terminal. The default is yes, but the end of the input means no.
func (c *cli) agreedUnlessNo(question string) bool {
	fmt.Fprint(c.err, question+" [Y/n] ")
	line, err := bufio.NewReader(c.in).ReadString('\n')
	answer := strings.ToLower(strings.TrimSpace(line))
	return err == nil && (answer == "" || answer == "y" || answer == "yes")
}

// answer asks a question on the terminal and returns the line that the person types.
func (c *cli) answer(question string) string {
	fmt.Fprint(c.err, question)
	line, _ := bufio.NewReader(c.in).ReadString('\n')
	return strings.TrimSpace(line)
}

// key asks on the terminal and returns the pressed key, in lower case. If keys
// cannot be read one by one, it reads a line and uses its first letter. The question is one
// line. It is printed after the terminal reads keys, so that Ctrl-C in answer to it is a key.
func key(c *cli, question string) (pressed rune) {
	in, isFile := c.in.(*os.File)
	if isFile {
		if old, err := term.MakeRaw(int(in.Fd())); err == nil {
			fmt.Fprint(c.err, question)
			pressed = readKey(in)
			_ = term.Restore(int(in.Fd()), old)
			if unicode.IsLetter(pressed) {
				fmt.Fprintf(c.err, "%c", pressed)
			}
			fmt.Fprintln(c.err)
			return pressed
		}
	}
	fmt.Fprint(c.err, question)
	line, err := bufio.NewReader(c.in).ReadString('\n')
	if line = strings.TrimSpace(line); line == "" && err != nil {
		return endKey
	}
	for _, r := range line {
		return unicode.ToLower(r)
	}
	return 0
}

// editFile opens the user's editor on a file and waits until it ends.
func editFile(ctx context.Context, path string) error {
	return editorError(editor.Open(ctx, path, os.Stdin, os.Stderr)) // stdout is for answers
}

// editSettings is editFile for a settings file, which a person can also change
// without us.
func editSettings(ctx context.Context, path string) error {
	err := editFile(ctx, path)
	if errors.Is(err, editor.ErrNone) {
		return hintedUsage("set EDITOR, for example with 'export EDITOR=nano', or open "+path+" yourself", "%w", editor.ErrNone)
	}
	return err
}

func editorError(err error) error {
	if errors.Is(err, editor.ErrNone) {
		return hintedUsage("set EDITOR or git's core.editor, for example with 'export EDITOR=nano'", "%w", err)
	}
	return err
}
