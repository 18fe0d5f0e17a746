package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"agentflow/internal/invisible"
	"agentflow/memory"
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

	emit func(Event) // hears all of it instead of the streams; nil: the streams do
}

// say tells what happened, on stderr.
func (v *voice) say(format string, args ...any) {
	switch {
	case v.quiet:
	case v.emit != nil:
		v.emit(Event{Kind: EventNotice, Text: fmt.Sprintf(format, args...)})
	default:
		v.line("", "agentflow: "+fmt.Sprintf(format, args...))
	}
}

// warn tells what did not work though the command goes on.
func (v *voice) warn(format string, args ...any) {
	if v.emit != nil {
		v.emit(Event{Kind: EventWarning, Text: fmt.Sprintf(format, args...)})
		return
	}
	v.line("33", "agentflow: warning: "+fmt.Sprintf(format, args...))
}

// fail tells the error that ends the command.
func (v *voice) fail(err error) { v.line("31", "agentflow: error: "+err.Error()) }

// hint tells the way out.
func (v *voice) hint(format string, args ...any) {
	if v.emit != nil {
		v.emit(Event{Kind: EventHint, Text: fmt.Sprintf(format, args...)})
		return
	}
	v.line("36", "hint: "+fmt.Sprintf(format, args...))
}

// ring calls the user back to the terminal.
func (v *voice) ring() {
	if v.emit != nil {
		v.emit(Event{Kind: EventBell})
	} else if v.errTTY {
		fmt.Fprint(v.err, "\a")
	}
}

func (v *voice) line(colour, text string) {
	text = strings.TrimRight(memory.Clean(text), "\n")
	if v.errColour && colour != "" {
		text = "\x1b[" + colour + "m" + text + "\x1b[0m"
	}
	fmt.Fprintln(v.err, text)
}

// printf writes a result on stdout.
func (v *voice) printf(format string, args ...any) { fmt.Fprintf(v.out, format, args...) }

// json writes one indented JSON value on stdout. HTML characters stay as
// they are: the readers are programs, not browsers. What a terminal would act
// on stands as an escape.
func (v *voice) json(value any) error {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(value); err != nil {
		return err
	}
	_, err := v.out.Write(invisible.EscapeJSON(text.Bytes()))
	return err
}

// dim, bold and matched style a piece of stdout on a terminal.
func (v *voice) dim(s string) string  { return v.style("2", s) }
func (v *voice) bold(s string) string { return v.style("1", s) }

func (v *voice) style(code, s string) string {
	if !v.colour || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// cleanLine is text from outside on one line, without control characters.
func cleanLine(s string) string {
	return strings.ReplaceAll(memory.Clean(s), "\n", " ")
}
