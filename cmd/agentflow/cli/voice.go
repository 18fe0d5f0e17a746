package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"

	"agentflow/app"
	"agentflow/internal/invisible"
	"agentflow/internal/jsonselect"
	"agentflow/internal/terminal"
	"agentflow/internal/textwidth"
	"agentflow/memory"
	"agentflow/memory/quote"

	"golang.org/x/term"
)

// Voice is how the program speaks: results on stdout, everything else on
// stderr, lower case, colour only on a terminal. Text that came from outside
// is cleaned of control characters on its way out.
type Voice struct {
	Out, Err       io.Writer
	OutTTY, ErrTTY bool
	Colour         bool // stdout may be coloured
	errColour      bool
	Quiet          bool
	Selection      jsonselect.Selection // of JSON

	empty  uint32 // 1 after it was said that there is no memory; atomic, for runs in parallel
	shared bool   // stdout and stderr are, or may be, the same terminal, file or pipe

	Live *terminal.Live // of standard error; nil where it is no terminal that can overwrite lines
	Work *terminal.Work
}

// NewVoice returns the voice of a process with these streams.
func NewVoice(out, err *os.File, getenv func(string) string) Voice {
	v := Voice{Out: out, Err: err, Work: &terminal.Work{},
		OutTTY: term.IsTerminal(int(out.Fd())), ErrTTY: term.IsTerminal(int(err.Fd()))}
	dumb := getenv("TERM") == "dumb"
	piped := v.ErrTTY && isPipe(out) // its reader may write to our terminal, as tee does
	v.shared = v.OutTTY && v.ErrTTY || sameFile(out, err) || piped
	plain := getenv("NO_COLOR") != "" || dumb
	v.Colour = v.OutTTY && !plain
	v.errColour = v.ErrTTY && !plain
	if v.ErrTTY && !dumb && !piped {
		v.Live = terminal.New(err, v.errColour)
		v.Err = v.Live.Wrap(err)
		if v.OutTTY {
			v.Out = v.Live.Wrap(out)
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

// Say prints what happened, on stderr.
func (v *Voice) Say(format string, args ...any) {
	if !v.Quiet {
		v.Line("", "agentflow: "+fmt.Sprintf(format, args...))
	}
}

// Aside prints a detail that few readers need, on stderr. It prints nothing for readers of JSON.
func (v *Voice) Aside(format string, args ...any) {
	if !v.Quiet && !v.Selection.Wanted {
		v.Line("2", "agentflow: "+fmt.Sprintf(format, args...))
	}
}

// Warn prints a failure after which the command continues.
func (v *Voice) Warn(format string, args ...any) {
	v.Line("33", "agentflow: warning: "+fmt.Sprintf(format, args...))
}

// Fail prints the error that ends the command.
func (v *Voice) Fail(err error) { v.Line("31", "agentflow: error: "+err.Error()) }

// Hint prints a remedy.
func (v *Voice) Hint(format string, args ...any) {
	v.Line("36", "hint: "+fmt.Sprintf(format, args...))
}

// Nothing says that an answer is empty, and how to get another one, unless it was said that there is no
// memory. An empty text or hint is left out.
func (v *Voice) Nothing(text, hint string) {
	if atomic.LoadUint32(&v.empty) == 1 {
		return
	}
	if text != "" {
		v.Say("%s", text)
	}
	if hint != "" {
		v.Hint("%s", hint)
	}
}

// Line prints a message, on a terminal in a colour and folded between words.
func (v *Voice) Line(colour, text string) {
	text = strings.TrimRight(memory.Clean(text), "\n")
	if v.ErrTTY {
		text = folded(text, 0)
	}
	if v.errColour && colour != "" {
		text = "\x1b[" + colour + "m" + text + "\x1b[0m"
	}
	// The newline is agentflow's and goes to stderr: stdout stays byte for byte the agent's.
	if out, ok := v.Out.(*terminal.Output); ok && v.shared && out.Within() && (v.Live == nil || v.Quiet) {
		text = "\n" + text
	}
	fmt.Fprintln(v.Err, text)
}

// folded breaks the lines of a text between words, so that they fit on the terminal. What follows the
// first line of each is indented by two columns more, and at least by indent.
func folded(text string, indent int) string {
	columns := terminal.Columns()
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		margin := max(indent, 2+len(line)-len(strings.TrimLeft(line, " ")))
		if columns-1-margin < leastFolded {
			return text
		}
		parts := textwidth.Fold(keepCommands(line), columns-1-margin)
		lines = append(lines, strings.ReplaceAll(strings.Join(parts, "\n"+strings.Repeat(" ", margin)), noBreak, " "))
	}
	return strings.Join(lines, "\n")
}

// noBreak replaces a blank at which no line may be folded.
const noBreak = "\u00a0"

// keepCommands replaces the blanks of short quoted commands, which people copy.
func keepCommands(line string) string {
	parts := strings.Split(line, "'")
	for i := 1; i < len(parts)-1; i += 2 {
		if strings.HasPrefix(parts[i], "agentflow ") && len(parts[i]) < 70 {
			parts[i] = strings.ReplaceAll(parts[i], " ", noBreak)
		}
	}
	return strings.Join(parts, "'")
}

// Folded returns a text for stdout. On a terminal its lines are folded between words, and what follows
// the first line of each has at least this indentation.
func Folded(c *Env, text string, indent int) string {
	if !c.OutTTY {
		return text
	}
	return folded(text, indent)
}

// Printf writes a result on stdout.
func (v *Voice) Printf(format string, args ...any) { fmt.Fprintf(v.Out, format, args...) }

// Json writes one JSON value on stdout, or what --json=FIELDS and --jq select
// of it. Characters that a terminal would act on are escaped.
func (v *Voice) Json(value any) error {
	text, err := v.Selection.Encode(value)
	if err != nil {
		return selectionError(err)
	}
	if v.Selection.Filter != nil { // texts of their own, not JSON
		_, err = v.Verbatim().Write(text)
		return err
	}
	_, err = v.Out.Write(invisible.EscapeJSON(text))
	return err
}

// Result prints the result of a command, unless it failed: as JSON if that is
// requested, else by calling text.
func (v *Voice) Result(err error, value any, text func()) error {
	switch {
	case err != nil:
		return err
	case v.Selection.Wanted:
		return v.Json(value)
	}
	text()
	return nil
}

// AtOnce writes the output of print to stdout at once: long lists a page at a time.
func (v *Voice) AtOnce(print func()) {
	out := v.Out
	var all bytes.Buffer
	v.Out = &all
	print()
	v.Out = out
	_, _ = out.Write(all.Bytes()) // its errors are kept: see terminal.Output
}

// At returns the name of a file, as results have it, with or without lines, as a path
// that can be opened from the current folder. Names that other people chose are quoted.
func (c *Env) At(name string) string {
	switch {
	case name == "":
		return ""
	case memory.IsOthers(name): // no file has this name
		return quote.Path(name)
	case c.locate == nil:
		c.locate = c.Memory.Locator()
	}
	return CleanLine(c.locate(name))
}

// leastFolded is the room below which a terminal folds long values, which is not
// between words.
const leastFolded = 20

// Row prints a property of a list, unless it is empty. On a terminal a long value
// is folded between words.
func (v *Voice) Row(width int, label, format string, args ...any) {
	value := CleanLine(fmt.Sprintf(format, args...))
	if value == "" {
		return
	}
	if room := terminal.Columns() - width - 1; v.OutTTY && room >= leastFolded {
		value = strings.Join(textwidth.Fold(value, room), "\n"+strings.Repeat(" ", width+1))
	}
	v.Printf("%s %s\n", v.Bold(fmt.Sprintf("%-*s", width, label)), value)
}

// Verbatim returns stdout for text that is printed unchanged. On a terminal
// control characters are removed; every Write has to hold whole lines.
func (v *Voice) Verbatim() io.Writer {
	if v.OutTTY {
		return cleaned{v.Out}
	}
	return v.Out
}

// cleaned cleans text on its way to a terminal.
type cleaned struct{ to io.Writer }

func (c cleaned) Write(p []byte) (int, error) {
	if _, err := io.WriteString(c.to, memory.Clean(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Dim, Bold and Matched style a piece of stdout on a terminal.
func (v *Voice) Dim(s string) string     { return v.Style("2", s) }
func (v *Voice) Bold(s string) string    { return v.Style("1", s) }
func (v *Voice) Matched(s string) string { return v.Style("1;31", s) }

// Style gives a piece of stdout a style by its ANSI code, on a terminal with colours.
func (v *Voice) Style(code, s string) string {
	if !v.Colour || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// CleanLine returns outside text on one line, without control characters.
func CleanLine(s string) string {
	return strings.ReplaceAll(memory.Clean(s), "\n", " ")
}

// Hear prints an operation's event.
func (v *Voice) Hear(e app.Event) {
	switch e.Kind {
	case app.EventNotice:
		if e.Empty {
			atomic.StoreUint32(&v.empty, 1)
		}
		v.Say("%s", e.Text)
	case app.EventWarning:
		v.Warn("%s", e.Text)
	case app.EventHint:
		v.Hint("%s", e.Text)
	case app.EventBell:
		if v.ErrTTY {
			fmt.Fprint(v.Err, "\a")
		}
	case app.EventProgress:
		if v.Live != nil && !v.Quiet {
			p := e.Progress
			v.Work.Show(v.Live, p.What, terminal.Step{Done: p.Done, Total: p.Total, Unit: p.Unit, Text: p.Text}, p.Over)
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
		return HintedUsage("the fields are "+strings.Join(field.Known, ", "), "--json: %w", err)
	case errors.As(err, &filter):
		return Usagef("--jq: %w", err)
	}
	return err
}
