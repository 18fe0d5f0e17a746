package app

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"agentflow/memory"
)

// formFence stands before and behind the attributes of a fact that is edited.
const formFence = "---"

// factForm is a fact as it is edited: its attributes, a line each, then its
// text.
func factForm(f memory.Fact) string {
	var b strings.Builder
	b.WriteString(formFence + "\n")
	for _, a := range attributes {
		b.WriteString(strings.TrimRight(a.name+": "+oneLine(a.get(f)), " ") + "\n")
	}
	b.WriteString(formFence + "\n" + f.Text + "\n")
	return b.String()
}

// oneLine keeps what people wrote by hand into a comment from adding lines.
func oneLine(s string) string {
	return strings.TrimSpace(strings.NewReplacer("\n", " ", "\r", " ").Replace(formText(s)))
}

// formText is text as it comes back from an editor: any of them may end lines
// in its own way, or put right what is no UTF-8.
func formText(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
}

// formError is what cannot be read of a form, and on which line.
type formError struct {
	line int
	err  error
}

func (e formError) Error() string { return fmt.Sprintf("line %d: %v", e.line, e.err) }
func (e formError) Unwrap() error { return e.err }

// readForm is the fact that an edited form says: what has no line in it is as
// in old, what has an empty one is taken away. redact takes secrets out of
// what was typed. Its errors name the line.
func readForm(form string, old memory.Fact, redact func(string) string, now time.Time) (memory.Fact, error) {
	f := old
	lines := strings.Split(strings.TrimPrefix(formText(form), "\uFEFF"), "\n")
	if strings.TrimSpace(lines[0]) != formFence {
		return f, formError{1, fmt.Errorf("the attributes have to begin with %s", formFence)}
	}
	known := map[string]bool{}
	for i, line := range lines[1:] {
		at := i + 2
		if strings.TrimSpace(line) == formFence {
			text := strings.Join(lines[at:], "\n")
			if was := formText(old.Text + "\n"); text == was || text+"\n" == was {
				return f, nil
			}
			switch f.Text = redact(strings.TrimSpace(text)); {
			case f.Text == "":
				return f, formError{at + 1, errors.New("the text is empty: 'agentflow forget' takes a fact out")}
			case len(f.Text) > maxFact:
				return f, formError{at + 1, fmt.Errorf("the text is larger than %s", size(maxFact))}
			}
			return f, nil
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		a := attributeNamed(name)
		switch {
		case !ok || a == nil:
			return f, formError{at, fmt.Errorf("%q is no attribute: want %s, then %s and the text", line, attributeNames(), formFence)}
		case known[name]:
			return f, formError{at, fmt.Errorf("%s stands twice", name)}
		}
		known[name] = true
		if value == oneLine(a.get(old)) {
			continue // also what a flag would not take, as a person wrote it
		}
		if err := a.set(&f, redact(value), now); err != nil {
			return f, formError{at, fmt.Errorf("%s: %w", name, err)}
		}
	}
	return f, formError{len(lines), fmt.Errorf("the attributes have no end: %s has to stand before the text", formFence)}
}

func attributeNames() string {
	var names []string
	for _, a := range attributes {
		names = append(names, a.name)
	}
	return strings.Join(names, ", ")
}
