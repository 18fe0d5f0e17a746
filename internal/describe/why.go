package describe

import (
	"cmp"
	"fmt"
	"strings"

	"agentflow/app/api"
	"agentflow/internal/plural"
	"agentflow/memory"
	"agentflow/memory/changeset"
	"agentflow/memory/quote"
	"agentflow/memory/trailer"
)

// OriginText describes the origin of some lines, or of a path, in words.
type OriginText struct {
	Head   string      // for lines: their place; for a path: everything on one line
	Quoted []string    // the lines, or the first of many
	Rows   []OriginRow // for lines: the known facts about them
	Place  string      // the place of the entry, in the form of a hit; empty without an entry
}

// OriginRow is one known fact.
type OriginRow struct{ Name, Value string }

// Limits of quotations: lines of the file, characters of a task and of last words, and number
// of recalled items.
const (
	maxQuoted   = 5
	maxWords    = 400
	maxRecalled = 5
)

// voice has the functions that make texts of others safe to show.
type voice struct{ text, name func(string) string }

var (
	toPeople = voice{OneLine, OneLine}
	toModels = voice{quote.Text, quote.Path}
)

// Origin describes one origin of the answer for people.
func Origin(w api.Why, o api.WhyOrigin) OriginText { return toPeople.origin(w, o) }

// Origins describes the origins of the answer for people. In the list of a path a remark is made once.
func Origins(w api.Why) (list []OriginText) {
	made := map[string]bool{}
	for _, o := range w.Origins {
		if w.Kind != "lines" && made[o.Remark] {
			o.Remark = ""
		}
		made[o.Remark] = true
		list = append(list, Origin(w, o))
	}
	return list
}

// QuotedOrigin describes one origin of the answer for a model.
func QuotedOrigin(w api.Why, o api.WhyOrigin) string { return toModels.origin(w, o).text() }

func (v voice) origin(w api.Why, o api.WhyOrigin) OriginText {
	if w.Kind != "lines" {
		return OriginText{Head: v.ofPath(w, o), Place: v.place(o)}
	}
	lines := strings.Split(o.Text, "\n")
	if more := len(lines) - maxQuoted; more > 0 {
		lines = append(lines[:maxQuoted], "… "+plural.Count(more, "more line"))
	}
	return OriginText{Head: Lines(v.name(w.Path), o.From, o.To), Quoted: lines, Rows: v.rows(o), Place: v.place(o)}
}

func (v voice) place(o api.WhyOrigin) string {
	if o.Entry == nil || o.Entry.Place == "" {
		return ""
	}
	return v.name(o.Entry.Place)
}

// ofPath returns an origin of a path on one line.
func (v voice) ofPath(w api.Why, o api.WhyOrigin) string {
	lines := plural.Count(o.Lines, "line")
	if w.Kind != "file" && o.Lines > 0 {
		lines = "+" + fmt.Sprint(o.Lines)
	}
	parts := []string{fmt.Sprintf("%10s", lines)}
	switch {
	case o.Entry != nil:
		parts = append(parts, nameOf(o), Day(o.Entry.StartedAt), v.text(o.Entry.Title)+doubt(o))
	case o.Commit != nil:
		parts = append(parts, "commit "+ShortCommit(o.Commit.ID), Day(o.Commit.Time), v.text(o.Commit.Subject))
	}
	if o.Remark != "" {
		parts = append(parts, "("+v.text(o.Remark)+")")
	}
	return strings.Join(parts, "  ")
}

// nameOf returns the kind and the id of an entry. The entry of a commit has the name that git gives
// the commit, and then the id by which memory knows it.
func nameOf(o api.WhyOrigin) string {
	e := o.Entry
	switch {
	case e.Kind != memory.KindCommit:
		return string(e.Kind) + " " + memory.ShortID(e.ID) + openAt(e)
	case o.Commit == nil:
		return string(e.Kind) + IDNote(e.ID)
	}
	return "commit " + ShortCommit(o.Commit.ID) + IDNote(e.ID)
}

// openAt returns after which prompts an open session wrote the file.
func openAt(e *api.WhyEntry) string {
	if !e.Open {
		return ""
	}
	list := make([]string, len(e.Turns))
	for i, n := range e.Turns {
		list[i] = fmt.Sprint(n)
	}
	noun := "prompt"
	if len(list) > 1 {
		noun = "prompts"
	}
	return " (open), " + noun + " " + strings.Join(list, ", ")
}

// doubt returns a mark for an origin that is not certain.
func doubt(o api.WhyOrigin) string {
	switch {
	case o.Certainty == changeset.Possible:
		return " (possibly)"
	case o.Certainty == changeset.Likely:
		return " (likely)"
	}
	return ""
}

// rows lists the known facts about lines.
func (v voice) rows(o api.WhyOrigin) (rows []OriginRow) {
	add := func(name, value string) {
		if value != "" {
			rows = append(rows, OriginRow{name, value})
		}
	}
	head := func(text string) string { return quoted(v.text, memory.Head(text, maxWords)) }
	ofCommit := o.Entry != nil && o.Entry.Kind == memory.KindCommit
	if e := o.Entry; e != nil && !ofCommit {
		add(string(e.Kind), strings.Join(notEmpty(memory.ShortID(e.ID)+openAt(e)+doubt(o), "began "+e.StartedAt.Local().Format(minute), quoted(v.name, e.Agent), quoted(v.name, e.Model), quoted(v.name, outcomeOf(e))), " · "))
		add("task", head(e.Task))
		add("asked", head(e.Asked))
		add("said", head(e.Summary))
		add("recalled", v.recalledBy(e))
	}
	if c := o.Commit; c != nil {
		text := fmt.Sprintf("%s %s · committed %s", ShortCommit(c.ID), v.text(c.Subject), c.Time.Local().Format(minute))
		if c.Was != "" {
			text += " · was " + ShortCommit(c.Was)
		}
		add("commit", text)
	}
	if ofCommit {
		add("message", head(messageOf(o)))
	}
	add("note", quoted(v.text, o.Remark))
	return rows
}

// messageOf returns the message that the entry of a commit keeps, without people, and without the subject if the
// origin names the commit with this subject.
func messageOf(o api.WhyOrigin) string {
	message := trailer.Strip(o.Entry.Task)
	subject, body, _ := strings.Cut(message, "\n")
	if o.Commit != nil && strings.TrimSpace(subject) == strings.TrimSpace(o.Commit.Subject) {
		message = strings.TrimSpace(body)
	}
	if trailer.Refers(message) {
		return ""
	}
	return message
}

// quoted returns a text in a voice, or "" for an empty text.
func quoted(say func(string) string, text string) string {
	if text = OneLine(text); text == "" {
		return ""
	}
	return say(text)
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

// recalledBy names the items of memory that a run was shown, or the first of many.
func (v voice) recalledBy(e *api.WhyEntry) string {
	var names []string
	for _, s := range append(append([]api.Shown{}, e.Facts...), e.Recalled...) {
		names = append(names, fmt.Sprintf("%s (%s:%d)", cmp.Or(quoted(v.text, s.Title), "text"), v.name(s.Path), s.Line))
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

// text lists the known facts, a line each, with the place of the entry.
func (o OriginText) text() string {
	if len(o.Rows) == 0 {
		return strings.TrimSpace(o.Head) + at(InRepository(o.Place))
	}
	text := o.Head + "\n" + quote.Block(strings.Join(o.Quoted, "\n"))
	for _, row := range o.Rows {
		text += "\n" + row.Name + ": " + row.Value
	}
	if o.Place != "" {
		text += "\nentry: " + InRepository(o.Place)
	}
	return text
}

func at(place string) string {
	if place == "" {
		return ""
	}
	return " · " + place
}
