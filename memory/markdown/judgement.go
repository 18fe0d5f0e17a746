package markdown

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"agentflow/memory"
	"agentflow/memory/internal/outline"
)

const (
	judgedMiddle = " did not need "
	maxJudged    = 200 // runes
)

// FormatJudgement writes a judgement as one bullet with its newline:
//
//   - 2026-11-21: "Fix the login" did not need "Rotate the keys" <!-- id=… useless=… run=… time=… -->
//
// ParseJudgements returns j.Normal() if j has an ID and an Entry.
func FormatJudgement(j memory.Judgement) string {
	j = j.Normal()
	var w commentWriter
	w.value("id", j.ID)
	w.value("useless", j.Entry)
	w.value("run", j.Run)
	w.value("time", j.Time.Format(time.RFC3339))
	return fmt.Sprintf("- %s: %s%s%s %s%s%s\n", j.Time.Format(time.DateOnly), quoted(j.Task), judgedMiddle, quoted(j.Title),
		commentOpen, w.b.String(), commentClose)
}

// ParseJudgements reads the judgements of a feedback file, in order. It takes time linear in
// len(src) and skips any other line.
func ParseJudgements(src []byte) []memory.Judgement {
	var list []memory.Judgement
	l := outline.Split(src)
	for i := range l.Count() {
		b, ok := outline.BulletOf(l.Line(i))
		if !ok {
			continue
		}
		text, f, ok := judgedBullet(l, i, b)
		j := memory.Judgement{ID: f.value("id"), Time: timeOf(f.value("time")), Entry: f.value("useless"), Run: f.value("run")}
		if !ok || j.ID == "" || j.Entry == "" {
			continue
		}
		j.Task, j.Title = judgedQuotes(text)
		list = append(list, j.Normal())
	}
	return list
}

// judgedBullet returns the text and the comment of the bullet on line i. An editor may have wrapped
// it.
func judgedBullet(l outline.Lines, i int, b outline.Bullet) (text string, f fields, ok bool) {
	if text, f, ok = trailingComment(b.Text); ok {
		return text, f, ok
	}
	parts := []string{b.Text}
	for i++; i < l.Count() && outline.Indent(l.Line(i)) >= b.Indent+2 && !l.Blank(i); i++ {
		text, f, ok = trailingComment(strings.TrimLeft(l.Line(i), " \t"))
		if ok {
			return strings.Join(append(parts, text), " "), f, ok
		}
		parts = append(parts, strings.TrimSpace(l.Line(i)))
	}
	return "", nil, false
}

func quoted(s string) string { return `"` + escapeInline(s) + `"` }

// judgedQuotes reads the two quotations of a judgement. People may have changed the words around
// them.
func judgedQuotes(text string) (task, title string) {
	parts := strings.Split(text, `"`)
	for i, into := range []*string{&task, &title} {
		if at := 2*i + 1; at < len(parts) {
			*into = unescape(parts[at])
		}
	}
	return task, title
}

// Judged returns the judgement in a feedback file that run had no use for entry, and whether there
// is one.
func Judged(src []byte, run, entry string) (memory.Judgement, bool) {
	list := ParseJudgements(src)
	i := slices.IndexFunc(list, func(j memory.Judgement) bool { return j.Run == run && j.Entry == entry })
	if i < 0 {
		return memory.Judgement{}, false
	}
	return list[i], true
}
