package markdown

import (
	"strings"

	"agentflow/memory"
	"agentflow/memory/changeset"
	"agentflow/memory/internal/outline"
)

type kind int

const (
	kindOther   kind = iota // labels, headings and derived lines
	kindTask                // Text: the task
	kindThen                // Text: a later prompt
	kindSubject             // Text: a commit's subject; label: its short id
	kindChange              // change
	kindUnread              // Text: why a change list could not be read
	kindResult              // Text: a bullet of the result
	kindRemark              // Text: a remark
	kindSummary             // Text: the summary
	kindError               // Text: an error
	kindDenied              // Text: a denial
	kindChecks              // checks; Text: as written
	kindFiles               // files, of version 2
	kindFact                // fact; Text: the fact's
	kindExtra               // Text: the lines as written
)

// Passage is a stretch of an entry's lines, [Start, End), with one value. Lines are counted from 0.
type Passage struct {
	Section    string // the heading above it; empty before the first
	Start, End int
	Text       string
	kind       kind
	label      string
	change     *changeset.Change
	fact       *memory.Fact
	files      []changeset.Change
	checks     []string
}

// Searched reports whether a search finds the passage by its text.
func (p Passage) Searched() bool {
	switch p.kind {
	case kindTask, kindThen, kindSubject, kindSummary, kindError, kindDenied, kindFact, kindExtra:
		return true
	}
	return false
}

// isBullet reports whether a passage is a bullet of an entry of version 2.
func (p Passage) isBullet() bool {
	return p.kind != kindSummary && p.kind != kindExtra && (p.kind != kindTask || p.Section != secHead)
}

// Paths returns the changed paths that a passage names.
func (p Passage) Paths() (paths []string) {
	files := p.files
	if p.kind == kindChange {
		files = []changeset.Change{*p.change}
	}
	for _, c := range files {
		paths = append(paths, c.Path)
		if c.OldPath != "" {
			paths = append(paths, c.OldPath)
		}
	}
	return paths
}

func isSection(name string) bool {
	switch name {
	case secCommits, secChanges, secUncommitted, secMeanwhile, secElsewhere, secResult, secNotes, secSummary, secErrors, secMemories:
		return true
	}
	return false
}

type passageReader struct {
	l       outline.Lines
	end     int
	fences  *outline.Fences
	section string
	session bool // the entry is a session's; only sessions have later prompts
	list    []Passage
}

// readPassages reads the lines after an entry's comment, whose fields are f.
func readPassages(l outline.Lines, comment, end int, f fields) []Passage {
	r := passageReader{l: l, end: end, fences: outline.FindFences(l, comment+1, end)}
	r.session = memory.Kind(f.value("kind")) == memory.KindSession
	for i := comment + 1; i < end; {
		i = r.read(i)
	}
	return r.list
}

func (r *passageReader) add(kind kind, start, end int, text string) int {
	r.list = append(r.list, Passage{kind: kind, Section: r.section, Start: start, End: end, Text: text})
	return end
}

func (r *passageReader) last() *Passage { return &r.list[len(r.list)-1] }

// read reads the passage that begins on line i, and returns the line after it.
func (r *passageReader) read(i int) int {
	line := r.l.Line(i)
	switch {
	case r.l.Blank(i) || outline.IsEnd(line):
		return i + 1
	case strings.HasPrefix(line, sectionPrefix):
		return r.heading(i)
	case r.section == secSummary:
		return r.summary(i)
	}
	if f, ok := outline.FenceOf(line, 3); ok {
		if j, ok := r.fences.After(f, i, r.end); ok {
			return r.raw(i, j+1)
		}
	}
	if b, ok := outline.BulletOf(line); ok && b.Indent == 0 {
		return r.bullet(i, b)
	}
	trimmed := strings.TrimRight(line, " \t")
	if r.section == secHead {
		if strings.HasPrefix(line, labelCommit) {
			return r.add(kindOther, i, i+1, "")
		}
		if rest, ok := strings.CutPrefix(trimmed, labelTask); ok {
			return r.value(kindTask, i, rest)
		}
	}
	if changeSection(r.section) {
		if rest, ok := strings.CutPrefix(trimmed, labelUnread); ok {
			return r.value(kindUnread, i, rest)
		}
	}
	if trimmed == none && (changeSection(r.section) || r.section == secErrors) {
		return r.add(kindOther, i, i+1, "")
	}
	return r.raw(i, i+1)
}

func changeSection(s string) bool {
	return s == secChanges || s == secUncommitted || s == secMeanwhile || s == secElsewhere
}

// heading begins a section. A heading that is not ours is a person's text.
func (r *passageReader) heading(i int) int {
	r.section = strings.TrimSpace(r.l.Line(i)[len(sectionPrefix):])
	if isSection(r.section) {
		return r.add(kindOther, i, i+1, "")
	}
	return r.raw(i, i+1)
}

// summary reads all lines up to the next section, because people who edit a summary need not know
// about indentation.
func (r *passageReader) summary(i int) int {
	last := i
	for k := i; k < r.end; k++ {
		line := r.l.Line(k)
		if strings.HasPrefix(line, sectionPrefix) || outline.IsEnd(line) {
			break
		}
		if f, ok := outline.FenceOf(line, 3); ok {
			if j, ok := r.fences.After(f, k, r.end); ok {
				k = j
			}
		}
		if !r.l.Blank(k) {
			last = k
		}
	}
	return r.add(kindSummary, i, last+1, r.text(r.l.Line(i), i, last+1))
}

// value reads a value that begins with rest on line i. It ends after the last line that is indented
// by two or more. Blank lines in between do not end it.
func (r *passageReader) value(kind kind, i int, rest string) int {
	end := r.continued(i)
	return r.add(kind, i, end, r.text(strings.TrimLeft(rest, " "), i, end))
}

func (r *passageReader) continued(i int) int {
	end := i + 1
	for {
		k := r.l.NextText(end, r.end)
		if k == r.end || outline.Indent(r.l.Line(k)) < 2 {
			return end
		}
		end = k + 1
	}
}

// text joins first and the lines after i, unescaped.
func (r *passageReader) text(first string, i, end int) string {
	var b strings.Builder
	b.WriteString(unescape(strings.TrimRight(first, " \t")))
	for k := i + 1; k < end; k++ {
		b.WriteByte('\n')
		b.WriteString(unescape(strings.TrimRight(outline.Outdent(r.l.Line(k), 2), " \t")))
	}
	return b.String()
}

// raw reads lines that a person wrote, unchanged.
func (r *passageReader) raw(from, to int) int {
	list := make([]string, 0, to-from)
	for i := from; i < to; i++ {
		list = append(list, r.l.Line(i))
	}
	return r.add(kindExtra, from, to, strings.Join(list, "\n"))
}

// bullet reads a bullet at the start of a line, with its further lines.
func (r *passageReader) bullet(i int, b outline.Bullet) int {
	text := strings.TrimRight(b.Text, " \t")
	then, isThen := strings.CutPrefix(text, labelThen)
	isThen = isThen && r.session && r.section == secHead
	if f, end, ok := factAt(r.l, i, r.end, b, !isThen && (r.section == secMemories || r.section == secHead)); ok {
		r.add(kindFact, i, end, f.Text)
		r.last().fact = &f
		return end
	}
	if isThen {
		return r.value(kindThen, i, then)
	}
	switch r.section {
	case secChanges, secUncommitted, secMeanwhile, secElsewhere:
		c, ok := parseChange(b.Text, r.section == secElsewhere)
		if !ok {
			return r.add(kindExtra, i, i+1, b.Text)
		}
		r.add(kindChange, i, i+1, "")
		r.last().change = &c
		return i + 1
	case secCommits:
		id, subject, _ := strings.Cut(text, " ")
		end := r.value(kindSubject, i, subject)
		r.last().label = id
		return end
	case secResult, secNotes:
		if rest, ok := strings.CutPrefix(text, labelNote); ok {
			return r.value(kindRemark, i, rest)
		}
		if rest, ok := strings.CutPrefix(text, labelCheck); ok {
			end := r.value(kindChecks, i, rest)
			r.last().checks = []string{r.last().Text}
			return end
		}
		if r.section == secResult {
			return r.add(kindResult, i, i+1, text)
		}
	case secErrors:
		if rest, ok := strings.CutPrefix(text, labelDenied); ok {
			return r.value(kindDenied, i, rest)
		}
		return r.value(kindError, i, text)
	}
	return r.raw(i, r.continued(i))
}
