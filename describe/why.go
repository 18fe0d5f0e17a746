package describe

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"agentflow/api"
	"agentflow/internal/plural"
	"agentflow/memory"
)

// OriginText is what some lines, or a path, stem from, in words.
type OriginText struct {
	Head   string      // of lines: where they stand; of a path: all on one line
	Quoted []string    // the lines themselves, the first ones of many
	Rows   []OriginRow // of lines: what is known of them
	Place  string      // where the entry stands, as a hit names it; empty without one
}

// OriginRow is one thing that is known.
type OriginRow struct{ Name, Value string }

// Bounds of what is quoted: lines of the file, characters of a task and of last
// words, and things recalled.
const (
	maxQuoted   = 5
	maxWords    = 400
	maxRecalled = 5
)

// Origin tells of one origin of the answer.
func Origin(w api.Why, o api.WhyOrigin) OriginText {
	if w.Kind != "lines" {
		return OriginText{Head: ofPath(w, o), Place: placeOf(o)}
	}
	lines := strings.Split(o.Text, "\n")
	if more := len(lines) - maxQuoted; more > 0 {
		lines = append(lines[:maxQuoted], "… "+plural.Count(more, "more line"))
	}
	return OriginText{Head: Lines(OneLine(w.Path), o.From, o.To), Quoted: lines, Rows: rowsOf(o), Place: placeOf(o)}
}

func placeOf(o api.WhyOrigin) string {
	if o.Entry == nil {
		return ""
	}
	return o.Entry.Place
}

// ofPath is an origin of a path on one line.
func ofPath(w api.Why, o api.WhyOrigin) string {
	lines := plural.Count(o.Lines, "line")
	if w.Kind != "file" && o.Lines > 0 {
		lines = "+" + fmt.Sprint(o.Lines)
	}
	parts := []string{fmt.Sprintf("%10s", lines)}
	switch {
	case o.Entry != nil:
		parts = append(parts, nameOf(o.Entry), o.Entry.StartedAt.Local().Format(time.DateOnly), OneLine(o.Entry.Title)+doubt(o))
	case o.Commit != nil:
		parts = append(parts, "commit "+ShortCommit(o.Commit.ID), o.Commit.Time.Local().Format(time.DateOnly), OneLine(o.Commit.Subject))
	}
	if o.Remark != "" {
		parts = append(parts, "("+OneLine(o.Remark)+")")
	}
	return strings.Join(parts, "  ")
}

// nameOf is an entry by its kind and id.
func nameOf(e *api.WhyEntry) string { return string(e.Kind) + " " + memory.ShortID(e.ID) }

// doubt says of an origin that it is not sure.
func doubt(o api.WhyOrigin) string {
	switch {
	case o.Certainty == memory.Possible:
		return " (possibly)"
	case o.Certainty == memory.Likely:
		return " (likely)"
	}
	return ""
}

// rowsOf is what is known of lines.
func rowsOf(o api.WhyOrigin) (rows []OriginRow) {
	add := func(name, value string) {
		if value = OneLine(value); value != "" {
			rows = append(rows, OriginRow{name, value})
		}
	}
	if e := o.Entry; e != nil {
		if e.Kind != memory.KindCommit {
			add(string(e.Kind), strings.Join(notEmpty(memory.ShortID(e.ID)+doubt(o), e.StartedAt.Local().Format("2006-01-02 15:04"), e.Agent, e.Model, outcomeOf(e)), " · "))
		}
		add("task", memory.Head(e.Task, maxWords))
		add("said", memory.Head(e.Summary, maxWords))
		add("recalled", recalledBy(e))
	}
	if c := o.Commit; c != nil {
		text := fmt.Sprintf("%s %s · %s", ShortCommit(c.ID), c.Subject, c.Time.Local().Format("2006-01-02 15:04"))
		if c.Was != "" {
			text += " · was " + ShortCommit(c.Was)
		}
		add("commit", text)
	}
	add("note", o.Remark)
	return rows
}

func outcomeOf(e *api.WhyEntry) string {
	if e.Undone {
		return "undone"
	}
	return strings.ReplaceAll(string(e.Outcome), "_", " ")
}

func notEmpty(words ...string) (list []string) {
	for _, word := range words {
		if word != "" {
			list = append(list, word)
		}
	}
	return list
}

// recalledBy names what memory put in front of a run, the first ones of many.
func recalledBy(e *api.WhyEntry) string {
	var names []string
	for _, s := range append(append([]api.Shown{}, e.Facts...), e.Recalled...) {
		names = append(names, fmt.Sprintf("%s (%s:%d)", cmp.Or(s.Title, "text"), s.Path, s.Line))
	}
	if more := len(names) - maxRecalled; more > 0 {
		names = append(names[:maxRecalled], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, "; ")
}

// MoreOrigins says how many origins of a path are left out.
func MoreOrigins(w api.Why) string {
	return fmt.Sprintf("%s left out: --limit 0 lists all", plural.Count(w.More, "more origin"))
}

// Text is an origin for a model: what is known, a line each, with its place. No
// text of a file or of memory passes for a line of ours.
func (o OriginText) Text() string {
	if len(o.Rows) == 0 {
		return strings.TrimSpace(o.Head) + at(o.Place)
	}
	text := o.Head + "\n" + Quote(strings.Join(o.Quoted, "\n"))
	for _, row := range o.Rows {
		text += "\n" + row.Name + ": " + row.Value
	}
	if o.Place != "" {
		text += "\nentry: " + OneLine(o.Place)
	}
	return text
}

func at(place string) string {
	if place == "" {
		return ""
	}
	return " · " + OneLine(place)
}
