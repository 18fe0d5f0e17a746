package app

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"agentflow/internal/plural"
	"agentflow/memory"
)

// formFence stands before and behind the attributes of a fact that is edited.
const formFence = "---"

// factForm is a fact as it is edited: its attributes, a line each, then its
// text.
func factForm(f memory.Fact) string {
	var b strings.Builder
	b.WriteString(formFence + "\n")
	for _, a := range FactAttributes {
		b.WriteString(strings.TrimRight(a.Name+": "+oneLine(a.Text(f)), " ") + "\n")
	}
	b.WriteString(formFence + "\n" + f.Text + "\n")
	return b.String()
}

// oneLine keeps what people wrote by hand into a comment from adding lines.
func oneLine(s string) string {
	return strings.TrimSpace(strings.NewReplacer("\n", " ", "\r", " ").Replace(editedText(s)))
}

// editedText is text as it comes back from an editor: any of them may end
// lines in its own way, or repair what is no UTF-8.
func editedText(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\r\n", "\n")
}

// readForm is what an edited form changes of old. An attribute without a line
// stays, one with an empty line is taken away. Errors name the line.
func readForm(form string, old memory.Fact, now time.Time) (change FactChange, err error) {
	lines := strings.Split(strings.TrimPrefix(editedText(form), "\uFEFF"), "\n")
	isFence := func(line string) bool { return strings.TrimSpace(line) == formFence }
	if !isFence(lines[0]) {
		return change, usagef("line 1: the attributes have to begin with %s", formFence)
	}
	end := 1 + slices.IndexFunc(lines[1:], isFence)
	if end == 0 {
		return change, usagef("line %d: the attributes have no end: %s has to stand before the text", len(lines), formFence)
	}
	read := map[string]bool{}
	for i, line := range lines[1:end] {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if err := readAttribute(line, old, &change, read, now); err != nil {
			return change, usagef("line %d: %w", i+2, err)
		}
	}
	text := strings.Join(lines[end+1:], "\n")
	if was := editedText(old.Text + "\n"); text == was || text+"\n" == was {
		return change, nil
	}
	switch text = strings.TrimSpace(text); {
	case text == "":
		err = usagef("line %d: the text is empty: 'agentflow forget' takes a fact out", end+2)
	case len(text) > MaxFactText:
		err = usagef("line %d: the text is larger than %s", end+2, plural.Bytes(MaxFactText))
	}
	change.Text = &text
	return change, err
}

// readAttribute reads one line of a form. A value that was not touched is not
// checked: a person may have written what no flag takes.
func readAttribute(line string, old memory.Fact, change *FactChange, read map[string]bool, now time.Time) error {
	name, value, ok := strings.Cut(line, ":")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	i := slices.IndexFunc(FactAttributes, func(a FactAttribute) bool { return a.Name == name })
	if !ok || i < 0 {
		var names []string
		for _, a := range FactAttributes {
			names = append(names, a.Name)
		}
		return fmt.Errorf("%q is no attribute: want %s, then %s and the text", line, strings.Join(names, ", "), formFence)
	}
	if read[name] {
		return fmt.Errorf("%s stands twice", name)
	}
	read[name] = true
	if value == oneLine(FactAttributes[i].Text(old)) {
		return nil
	}
	if err := FactAttributes[i].Set(change, value, now); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
