package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode"

	"agentflow/internal/editor"
	"agentflow/internal/terminal"
	"agentflow/internal/textwidth"

	"golang.org/x/term"
)

// Confirm asks on a terminal; elsewhere it insists on --yes. It returns errDeclined if the
// answer is no.
func (c *Env) Confirm(question string, yes bool) error {
	if yes {
		return nil
	}
	if !c.InTTY || !c.ErrTTY {
		return HintedUsage("add --yes", "asking for confirmation: not on a terminal")
	}
	if !c.Agreed(question) {
		c.Say("%v", errDeclined)
		return errDeclined
	}
	return nil
}

// Agreed asks a question on the terminal. The default is no.
func (c *Env) Agreed(question string) bool {
	answer := strings.ToLower(c.Answer(question + " [y/N]"))
	return answer == "y" || answer == "yes"
}

// AgreedUnlessNo asks a question on the terminal, again for each answer that is neither yes nor no. The
// default is yes, but the end of the input means no.
func (c *Env) AgreedUnlessNo(question string) bool {
	in := bufio.NewReader(c.In)
	for {
		c.ask(question + " [Y/n]")
		line, err := in.ReadString('\n')
		switch answer := strings.ToLower(strings.TrimSpace(line)); {
		case err != nil || answer == "n" || answer == "no":
			return false
		case answer == "" || answer == "y" || answer == "yes":
			return true
		}
	}
}

// ask prints a question. On a terminal a long one is folded between words, so that the choice of answers is not divided.
func (c *Env) ask(question string) {
	if columns := terminal.Columns(); c.ErrTTY && columns >= leastFolded {
		question = strings.Join(textwidth.Fold(question, columns-2), "\n")
	}
	fmt.Fprint(c.Err, question+" ")
}

// Answer asks a question on the terminal and returns the line that the person types.
func (c *Env) Answer(question string) string {
	c.ask(question)
	line, _ := bufio.NewReader(c.In).ReadString('\n')
	return strings.TrimSpace(line)
}

// Key asks on the terminal and returns the pressed key, in lower case. If keys
// cannot be read one by one, it reads a line and uses its first letter. The question is one
// line. It is printed after the terminal reads keys, so that Ctrl-C in answer to it is a key.
func Key(c *Env, question string) (pressed rune) {
	in, isFile := c.In.(*os.File)
	if isFile {
		if old, err := term.MakeRaw(int(in.Fd())); err == nil {
			fmt.Fprint(c.Err, question)
			pressed = readKey(in)
			_ = term.Restore(int(in.Fd()), old)
			if unicode.IsLetter(pressed) {
				fmt.Fprintf(c.Err, "%c", pressed)
			}
			fmt.Fprintln(c.Err)
			return pressed
		}
	}
	fmt.Fprint(c.Err, question)
	line, err := bufio.NewReader(c.In).ReadString('\n')
	if line = strings.TrimSpace(line); line == "" && err != nil {
		return EndKey
	}
	for _, r := range line {
		return unicode.ToLower(r)
	}
	return 0
}

// EditFile opens the user's editor on a file and waits until it ends.
func EditFile(ctx context.Context, path string) error {
	return EditorError(editor.Open(ctx, path, os.Stdin, os.Stderr)) // stdout is for answers
}

// EditSettings is editFile for a settings file, which a person can also change
// without us.
func EditSettings(ctx context.Context, path string) error {
	err := EditFile(ctx, path)
	if errors.Is(err, editor.ErrNone) {
		return HintedUsage("set EDITOR, for example with 'export EDITOR=nano', or open "+path+" yourself", "%w", editor.ErrNone)
	}
	return err
}

// EditorError converts an error of an editor, with a hint if there is none.
func EditorError(err error) error {
	if errors.Is(err, editor.ErrNone) {
		return HintedUsage("set EDITOR or git's core.editor, for example with 'export EDITOR=nano'", "%w", err)
	}
	return err
}
