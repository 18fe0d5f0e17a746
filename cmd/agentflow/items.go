package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"agentflow/internal/describe"
	"agentflow/internal/terminal"
	"agentflow/internal/textwidth"
	"agentflow/memory"
	"agentflow/memory/quote"
)

// minute is how a time is shown to people; dueTime names its zone too, since that
// of a schedule may not be theirs.
const (
	minute  = "2006-01-02 15:04"
	dueTime = minute + " -07:00"
)

// atEntry returns the file of an entry; its name is relative to the memory folder.
func atEntry(c *cli, file string) string {
	if memory.IsOthers(file) {
		return c.at(file)
	}
	if own, ok := strings.CutPrefix(file, memory.GlobalLabel); ok {
		return c.at(memory.GlobalLabel + "memory/" + own)
	}
	return c.at("memory/" + file)
}

// atFact returns the location of a fact.
func atFact(c *cli, file string, line int) string { return c.at(fmt.Sprintf("%s:%d", file, line)) }

// item prints a line of a list. If the line does not fit on the terminal, the text
// is cut, and its location is on a separate line.
func item(c *cli, columns, text, place string) {
	text, between := cleanLine(text), "  "
	if room := terminal.Columns() - textwidth.Cells(columns) - len(between); c.outTTY && textwidth.Cells(text+between+place) > room {
		text, between = textwidth.Cut(text, max(20, room)), "\n        "
	}
	c.printf("%s  %s%s%s\n", c.dim(cleanLine(columns)), text, between, c.dim(place))
}

func dateText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return describe.Day(t)
}

// sharedBy says who shares the shown item; empty for the user's own.
func sharedBy(author string) string {
	if author == "" {
		return ""
	}
	return "  shared by " + quote.Name(author)
}

// fromHome writes the user's home folder as ~.
func (c *cli) fromHome(text string) string {
	for _, variable := range c.environ {
		if home, is := strings.CutPrefix(variable, "HOME="); is && len(home) > 1 {
			text = strings.ReplaceAll(text, home+string(filepath.Separator), "~"+string(filepath.Separator))
		}
	}
	return text
}
