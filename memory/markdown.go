package memory

import "strings"

// handHeading is a heading of hand-written text.
type handHeading struct {
	level int
	text  string
}

// headingOf reads an ATX heading (CommonMark 0.31, section 4.2).
func headingOf(line string) (handHeading, bool) {
	line = strings.TrimPrefix(line, "\uFEFF")
	rest := strings.TrimLeft(line, "#")
	n := len(line) - len(rest)
	if n < 1 || n > 6 || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
		return handHeading{}, false
	}
	return handHeading{n, strings.TrimSpace(strings.TrimRight(strings.TrimSpace(rest), "#"))}, true
}

// setext reads a heading that is underlined (CommonMark 0.31, section 4.3).
// Only a line of its own is one here, so that --- under a paragraph or a list
// is still what people draw between texts.
func (o *outliner) setext(i int) (handHeading, bool) {
	if o.entry || i+1 >= o.to {
		return handHeading{}, false
	}
	level := underline(o.l.at(i + 1))
	if level == 0 {
		return handHeading{}, false
	}
	alone := i == o.from || o.l.blank(i-1) || len(o.list) > 0 && o.list[len(o.list)-1].to == i
	line := strings.TrimPrefix(o.l.at(i), "\uFEFF")
	_, bullet := bulletOf(line)
	if _, _, meta := metaLine(line); !alone || bullet || meta || line == "" || strings.IndexByte(" \t>|<=", line[0]) >= 0 || numberedItem(line) || isEnd(line) {
		return handHeading{}, false
	}
	return handHeading{level, strings.TrimSpace(line)}, true
}

// underline is the level of the heading above the line, 0 for none.
func underline(line string) int {
	line = strings.TrimRight(line, " \t")
	switch {
	case len(line) < 3:
		return 0
	case strings.Trim(line, "=") == "":
		return 1
	case strings.Trim(line, "-") == "":
		return 2
	}
	return 0
}

// numberedItem reports an item of an ordered list: "1. x" or "1) x".
func numberedItem(line string) bool {
	rest := strings.TrimLeft(line, "0123456789")
	n := len(line) - len(rest)
	return n > 0 && n < 10 && len(rest) > 1 && (rest[0] == '.' || rest[0] == ')') && rest[1] == ' '
}

// table is the end of the table whose first row is line i, or i (GitHub
// Flavored Markdown, "Tables"). A row of it has a bar.
func (o *outliner) table(i int) int {
	if i+1 >= o.to || strings.IndexByte(o.l.at(i), '|') < 0 || !delimiterRow(o.l.at(i+1)) {
		return i
	}
	end := i + 2
	for end < o.to {
		line := o.l.at(end)
		_, heading := headingOf(line)
		if _, fenced := fenceOf(line, 3); heading || fenced || strings.IndexByte(line, '|') < 0 {
			break
		}
		end++
	}
	return end
}

func delimiterRow(line string) bool {
	return strings.Trim(line, "|-: \t") == "" && strings.IndexByte(line, '|') >= 0 && strings.IndexByte(line, '-') >= 0
}

// visible is the line without the HTML comments that stand whole in it. What
// is inside backticks is code.
func visible(line string) string {
	at := strings.Index(line, "<!--")
	if at < 0 {
		return line
	}
	var b strings.Builder
	ticks := 0
	for at >= 0 {
		end := strings.Index(line[at:], commentClose)
		if end < 0 {
			break
		}
		end += at + len(commentClose)
		if ticks += strings.Count(line[:at], "`"); ticks%2 == 0 {
			b.WriteString(line[:at])
		} else {
			b.WriteString(line[:end])
		}
		line = line[end:]
		at = strings.Index(line, "<!--")
	}
	return b.String() + line
}
