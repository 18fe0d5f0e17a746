package cli

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

// minute formats a time for people; dueTime names its zone too, since that
// of a schedule may not be theirs.
const (
	Minute  = "2006-01-02 15:04"
	DueTime = Minute + " -07:00"
)

// AtEntry returns the file of an entry; its name is relative to the memory folder.
func AtEntry(c *Env, file string) string {
	if memory.IsOthers(file) {
		return c.At(file)
	}
	if own, ok := strings.CutPrefix(file, memory.GlobalLabel); ok {
		return c.At(memory.GlobalLabel + "memory/" + own)
	}
	return c.At("memory/" + file)
}

// AtFact returns the location of a fact.
func AtFact(c *Env, file string, line int) string { return c.At(fmt.Sprintf("%s:%d", file, line)) }

// Item prints a line of a list. If the line does not fit on the terminal, the text
// is cut, and its location is on a separate line.
func Item(c *Env, columns, text, place string) {
	text, between := CleanLine(text), "  "
	if room := terminal.Columns() - textwidth.Cells(columns) - len(between); c.OutTTY && textwidth.Cells(text+between+place) > room {
		text, between = textwidth.Cut(text, max(20, room)), "\n        "
	}
	c.Printf("%s  %s%s%s\n", c.Dim(CleanLine(columns)), text, between, c.Dim(place))
}

// DateText returns the day of a time; empty without one.
func DateText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return describe.Day(t)
}

// SharedBy says who shares the shown item; empty for the user's own.
func SharedBy(author string) string {
	if author == "" {
		return ""
	}
	return "  shared by " + quote.Name(author)
}

// FromHome writes the user's home folder as ~.
func (c *Env) FromHome(text string) string {
	for _, variable := range c.Environ {
		if home, is := strings.CutPrefix(variable, "HOME="); is && len(home) > 1 {
			text = strings.ReplaceAll(text, home+string(filepath.Separator), "~"+string(filepath.Separator))
		}
	}
	return text
}
