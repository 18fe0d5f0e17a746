package memory

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// FeedbackFile is where judgements stand, below the memory folder. Nothing
// in it is found by search.
const FeedbackFile = "feedback.md"

// Judgement says that an entry, or a piece of hand-written text, was put in
// front of a run that had no use for it.
type Judgement struct {
	ID    string    // UUIDv7
	Time  time.Time // whole seconds, offset kept
	Task  string    // what the run was asked to do, on one line
	Entry string    // what it did not need: see Hit.Thing
	Title string    // that, for people
	Run   string    // id of the run
}

const (
	judgedMiddle = " did not need "
	maxJudged    = 200 // runes
)

// Normal is the judgement as FormatJudgement writes it: see Entry.Normal. Its
// task and title are clean, on one line, without double quotes, and cut to 200
// runes.
func (j Judgement) Normal() Judgement {
	j.Time = normalTime(j.Time)
	j.Task, j.Title = judgedText(j.Task), judgedText(j.Title)
	return j
}

func judgedText(s string) string {
	s = strings.ReplaceAll(Clean(s), `"`, "'")
	return Head(strings.Join(strings.Fields(s), " "), maxJudged)
}

// FormatJudgement writes a judgement as one bullet with its newline:
//
//   - 2026-11-21: "Fix the login" did not need "Rotate the keys" <!-- id=… useless=… run=… time=… -->
//
// ParseJudgements gives back j.Normal() if j has an ID and an Entry.
func FormatJudgement(j Judgement) string {
	j = j.Normal()
	var w commentWriter
	w.value("id", j.ID)
	w.value("useless", j.Entry)
	w.value("run", j.Run)
	w.value("time", j.Time.Format(time.RFC3339))
	return fmt.Sprintf("- %s: %s%s%s %s%s%s\n", j.Time.Format(time.DateOnly), quoted(j.Task), judgedMiddle, quoted(j.Title),
		commentOpen, w.b.String(), commentClose)
}

// ParseJudgements reads the judgements of a feedback file, in the order they
// stand. It takes time linear in len(src); what is none is passed over.
func ParseJudgements(src []byte) []Judgement {
	var list []Judgement
	l := splitLines(src)
	for i := range l.count() {
		b, ok := bulletOf(l.at(i))
		if !ok {
			continue
		}
		text, f, ok := judgedBullet(l, i, b)
		j := Judgement{ID: f.value("id"), Time: timeOf(f.value("time")), Entry: f.value("useless"), Run: f.value("run")}
		if !ok || j.ID == "" || j.Entry == "" {
			continue
		}
		j.Task, j.Title = judgedQuotes(text)
		list = append(list, j.Normal())
	}
	return list
}

// judgedBullet is the text and the comment of the bullet on line i; an editor
// may have wrapped it.
func judgedBullet(l lines, i int, b bullet) (text string, f fields, ok bool) {
	if text, f, ok = trailingComment(b.text); ok {
		return text, f, ok
	}
	parts := []string{b.text}
	for i++; i < l.count() && indentOf(l.at(i)) >= b.indent+2 && !l.blank(i); i++ {
		text, f, ok = trailingComment(strings.TrimLeft(l.at(i), " \t"))
		if ok {
			return strings.Join(append(parts, text), " "), f, ok
		}
		parts = append(parts, strings.TrimSpace(l.at(i)))
	}
	return "", nil, false
}

func quoted(s string) string { return `"` + escapeInline(s) + `"` }

// judgedQuotes reads the two quotations of a judgement; people may have
// changed the words around them.
func judgedQuotes(text string) (task, title string) {
	parts := strings.Split(text, `"`)
	for i, into := range []*string{&task, &title} {
		if at := 2*i + 1; at < len(parts) {
			*into = unescape(parts[at])
		}
	}
	return task, title
}

// Thing names what a hit stands for, for as long as it stands in memory: an
// entry by its id, and so the facts that were moved out of it; other
// hand-written text by its file and heading, for lines move, or by its line
// when it has no heading.
func (h *Hit) Thing() string {
	switch {
	case h.Source != "":
		return h.Source
	case h.EntryID != "":
		return h.EntryID
	case h.Heading == "":
		return fmt.Sprintf("%s:%d", h.Path, h.StartLine)
	}
	return h.Path + "#" + h.Heading
}

// Judged says whether a feedback file holds that run had no use for entry,
// and where.
func Judged(src []byte, run, entry string) (Judgement, bool) {
	list := ParseJudgements(src)
	i := slices.IndexFunc(list, func(j Judgement) bool { return j.Run == run && j.Entry == entry })
	if i < 0 {
		return Judgement{}, false
	}
	return list[i], true
}
