package memory

import (
	"strconv"
	"strings"
)

// Parts are what the text of a fact is put together from, each on lines of
// its own behind a label: of something that happened, or of how something is
// done. Any may be empty.
type Parts struct {
	Text      string   `json:"text,omitempty"`      // stands first, without a label
	Situation string   `json:"situation,omitempty"` // what was to be done
	Action    string   `json:"action,omitempty"`    // what was done
	Outcome   string   `json:"outcome,omitempty"`   // what came of it
	Learnings string   `json:"learnings,omitempty"` // what is to be learnt of it
	Name      string   `json:"name,omitempty"`      // of a procedure
	Steps     []string `json:"steps,omitempty"`     // written with their numbers
	Triggers  string   `json:"triggers,omitempty"`  // when the procedure applies
}

// stepsLabel is on a line without a value. The steps follow.
const stepsLabel = "Steps"

// partLabels lists the labels in the order in which the parts are written.
var partLabels = []string{"Situation", "Action", "Outcome", "Learnings", "Name", stepsLabel, "Triggers"}

// labelled returns the part with a label, except that of the steps.
func (p *Parts) labelled(label string) *string {
	switch label {
	case "Situation":
		return &p.Situation
	case "Action":
		return &p.Action
	case "Outcome":
		return &p.Outcome
	case "Learnings":
		return &p.Learnings
	case "Name":
		return &p.Name
	case "Triggers":
		return &p.Triggers
	}
	return nil
}

// String returns the text of the fact: a line for each part and step, with later lines indented.
// Blanks around a part, and empty parts, are left out.
func (p Parts) String() string {
	var lines []string
	if p.Text != "" {
		lines = append(lines, p.Text)
	}
	for _, label := range partLabels {
		if value := p.labelled(label); value != nil {
			if text := indented(*value, "  "); text != "" {
				lines = append(lines, label+": "+text)
			}
			continue
		}
		n := 0
		for _, step := range p.Steps {
			text := indented(step, "   ")
			if text == "" {
				continue
			}
			if n++; n == 1 {
				lines = append(lines, label+":")
			}
			lines = append(lines, strconv.Itoa(n)+". "+text)
		}
	}
	return strings.Join(lines, "\n")
}

// indented returns a value with a margin before its later lines.
func indented(value, margin string) string {
	lines := strings.Split(strings.TrimSpace(value), "\n")
	for i, line := range lines {
		line = strings.TrimRight(line, " \t\r")
		if i > 0 && line != "" {
			line = margin + line
		}
		lines[i] = line
	}
	return strings.Join(lines, "\n")
}

// PartsOf reads the text of a fact. If String would not write a text the same way, all of it
// becomes Text: PartsOf(s).String() is s for any s.
func PartsOf(text string) Parts {
	if p := readParts(text); p.String() == text {
		return p
	}
	return Parts{Text: text}
}

func readParts(text string) Parts {
	var p Parts
	var lines []string
	margin, steps := "", false
	set := func(value string) { p.Text = value }
	next := func(first, indent string, put func(string)) {
		set(strings.Join(lines, "\n"))
		lines, margin, set = []string{first}, indent, put
	}
	for line := range strings.SplitSeq(text, "\n") {
		n := len(p.Steps)
		if step, ok := strings.CutPrefix(line, strconv.Itoa(n+1)+". "); steps && ok {
			p.Steps = append(p.Steps, "")
			next(step, "   ", func(value string) { p.Steps[n] = value })
			continue
		}
		label, value, _ := strings.Cut(line, ":")
		field := p.labelled(label)
		switch {
		case label == stepsLabel && line == stepsLabel+":":
			steps = true
			next("", "", func(string) {})
		case field != nil && strings.HasPrefix(value, " "):
			steps = false
			next(value[1:], "  ", func(value string) { *field = value })
		default:
			lines = append(lines, strings.TrimPrefix(line, margin))
		}
	}
	set(strings.Join(lines, "\n"))
	return p
}
