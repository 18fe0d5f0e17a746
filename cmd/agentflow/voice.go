package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"agentflow/app"
	"agentflow/internal/invisible"
	"agentflow/internal/jsonselect"
	"agentflow/internal/terminal"
	"agentflow/internal/textwidth"
	"agentflow/memory"
	"agentflow/memory/quote"

	"golang.org/x/term"
)

// voice is how the program speaks: results on stdout, everything else on
// stderr, lower case, colour only on a terminal. Text that came from outside
// is cleaned of control characters on its way out.
type voice struct {
	out, err       io.Writer
	outTTY, errTTY bool
	colour         bool // stdout may be coloured
	errColour      bool
	quiet          bool
	selection      jsonselect.Selection // of JSON

	shared bool // stdout and stderr are, or may be, the same terminal, file or pipe

	live *terminal.Live // of standard error; nil where it is no terminal that can overwrite lines
	work *terminal.Work
}

func newVoice(out, err *os.File, getenv func(string) string) voice {
	v := voice{out: out, err: err, work: &terminal.Work{},
		outTTY: term.IsTerminal(int(out.Fd())), errTTY: term.IsTerminal(int(err.Fd()))}
	dumb := getenv("TERM") == "dumb"
	piped := v.errTTY && isPipe(out) // its reader may write to our terminal, as tee does
	v.shared = v.outTTY && v.errTTY || sameFile(out, err) || piped
	plain := getenv("NO_COLOR") != "" || dumb
	v.colour = v.outTTY && !plain
	v.errColour = v.errTTY && !plain
	if v.errTTY && !dumb && !piped {
		v.live = terminal.New(err, v.errColour)
		v.err = v.live.Beside(err)
		if v.outTTY {
			v.out = v.live.Beside(out)
		}
	}
	return v
}

func sameFile(a, b *os.File) bool {
	of, err := a.Stat()
	other, err2 := b.Stat()
	return err == nil && err2 == nil && os.SameFile(of, other)
}

func isPipe(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeNamedPipe != 0
}

// say prints what happened, on stderr.
func (v *voice) say(format string, args ...any) {
	if !v.quiet {
		v.line("", "agentflow: "+fmt.Sprintf(format, args...))
	}
}

// aside prints a detail that few readers need, on stderr. It prints nothing for readers of JSON.
func (v *voice) aside(format string, args ...any) {
	if !v.quiet && !v.selection.Wanted {
		v.line("2", "agentflow: "+fmt.Sprintf(format, args...))
	}
}

// warn prints a failure after which the command continues.
func (v *voice) warn(format string, args ...any) {
	v.line("33", "agentflow: warning: "+fmt.Sprintf(format, args...))
}

// fail prints the error that ends the command.
func (v *voice) fail(err error) { v.line("31", "agentflow: error: "+err.Error()) }

// hint prints a remedy.
func (v *voice) hint(format string, args ...any) {
	v.line("36", "hint: "+fmt.Sprintf(format, args...))
}

func (v *voice) line(colour, text string) {
	text = strings.TrimRight(memory.Clean(text), "\n")
	if v.errColour && colour != "" {
		text = "\x1b[" + colour + "m" + text + "\x1b[0m"
	}
	// The newline is agentflow's and goes to stderr: stdout stays byte for byte the agent's.
	if out, ok := v.out.(*terminal.Output); ok && v.shared && out.Within() && (v.live == nil || v.quiet) {
		text = "\n" + text
	}
	fmt.Fprintln(v.err, text)
}

// printf writes a result on stdout.
func (v *voice) printf(format string, args ...any) { fmt.Fprintf(v.out, format, args...) }

// json writes one JSON value on stdout, or what --json=FIELDS and --jq select
// of it. Characters that a terminal would act on are escaped.
func (v *voice) json(value any) error {
	text, err := v.selection.Encode(value)
	if err != nil {
		return selectionError(err)
	}
	if v.selection.Filter != nil { // texts of their own, not JSON
		_, err = v.verbatim().Write(text)
		return err
	}
	_, err = v.out.Write(invisible.EscapeJSON(text))
	return err
}

// result prints the result of a command, unless it failed: as JSON if that is
// requested, else by calling text.
func (v *voice) result(err error, value any, text func()) error {
	switch {
	case err != nil:
		return err
	case v.selection.Wanted:
		return v.json(value)
	}
	text()
	return nil
}

// atOnce writes the output of print to stdout at once: long lists a page at a time.
func (v *voice) atOnce(print func()) {
	out := v.out
	var all bytes.Buffer
	v.out = &all
	print()
	v.out = out
	_, _ = out.Write(all.Bytes()) // its errors are kept: see terminal.Output
}

// at returns the name of a file, as results have it, with or without lines, as a path
// that can be opened from the current folder. Names that other people chose are quoted.
func (c *cli) at(name string) string {
	switch {
	case name == "":
		return ""
	case memory.IsOthers(name): // no file has this name
		return quote.Path(name)
	case c.locate == nil:
		c.locate = c.memory.Locator()
	}
	return cleanLine(c.locate(name))
}

// leastFolded is the room below which a terminal folds long values, which is not
// between words.
const leastFolded = 20

// row prints a property of a list, unless it is empty. On a terminal a long value
// is folded between words.
func (v *voice) row(width int, label, format string, args ...any) {
	value := cleanLine(fmt.Sprintf(format, args...))
	if value == "" {
		return
	}
	if room := terminal.Columns() - width - 1; v.outTTY && room >= leastFolded {
		value = strings.Join(textwidth.Fold(value, room), "\n"+strings.Repeat(" ", width+1))
	}
	v.printf("%s %s\n", v.bold(fmt.Sprintf("%-*s", width, label)), value)
}

// verbatim returns stdout for text that is printed unchanged. On a terminal
// control characters are removed; every Write has to hold whole lines.
func (v *voice) verbatim() io.Writer {
	if v.outTTY {
		return cleaned{v.out}
	}
	return v.out
}

// cleaned cleans text on its way to a terminal.
type cleaned struct{ to io.Writer }

func (c cleaned) Write(p []byte) (int, error) {
	if _, err := io.WriteString(c.to, memory.Clean(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// dim, bold and matched style a piece of stdout on a terminal.
func (v *voice) dim(s string) string     { return v.style("2", s) }
func (v *voice) bold(s string) string    { return v.style("1", s) }
func (v *voice) matched(s string) string { return v.style("1;31", s) }

func (v *voice) style(code, s string) string {
	if !v.colour || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// cleanLine returns outside text on one line, without control characters.
func cleanLine(s string) string {
	return strings.ReplaceAll(memory.Clean(s), "\n", " ")
}

// hear prints an operation's event.
func (v *voice) hear(e app.Event) {
	switch e.Kind {
	case app.EventNotice:
		v.say("%s", e.Text)
	case app.EventWarning:
		v.warn("%s", e.Text)
	case app.EventHint:
		v.hint("%s", e.Text)
	case app.EventBell:
		if v.errTTY {
			fmt.Fprint(v.err, "\a")
		}
	case app.EventProgress:
		if v.live != nil && !v.quiet {
			p := e.Progress
			v.work.Show(v.live, p.What, terminal.Step{Done: p.Done, Total: p.Total, Unit: p.Unit, Text: p.Text}, p.Over)
		}
	}
}

// selectionError explains an error of --json=FIELDS or --jq, and returns other errors
// unchanged.
func selectionError(err error) error {
	var field *jsonselect.UnknownFieldError
	var filter *jsonselect.FilterError
	switch {
	case errors.As(err, &field):
		return hintedUsage("the fields are "+strings.Join(field.Known, ", "), "--json: %w", err)
	case errors.As(err, &filter):
		return usagef("--jq: %w", err)
	}
	return err
}
