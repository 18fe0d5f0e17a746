package markdown

import (
	"strconv"
	"strings"
	"time"

	"agentflow/memory"
	"agentflow/memory/changeset"
	"agentflow/memory/internal/outline"
)

// reader2 reads the lines of an entry of version 2, between its heading and its comment.
type reader2 struct {
	passageReader
	asked asking
	rest  bool // the first bullet "asked:" belongs to the task
	began bool // the text has been read
}

// readPassages2 reads the lines [start, end). f holds the fields of the comment.
func readPassages2(l outline.Lines, start, end int, f fields) []Passage {
	r := &reader2{passageReader: passageReader{l: l, end: end, fences: outline.FindFences(l, start, end)}}
	if list, ok := f["asked"]; ok && list != "" {
		r.asked, r.rest = readAsking(f.list("asked"))
		r.rest = r.rest && r.asked.place == askedBullet
	}
	for i := start; i < end; {
		i = r.read(i)
	}
	return r.list
}

func (r *reader2) read(i int) int {
	if r.l.Blank(i) {
		return i + 1
	}
	if end, ok := r.known(i); ok {
		r.began = true
		return end
	}
	if !r.began {
		return r.text2(i)
	}
	line := r.l.Line(i)
	if f, ok := outline.FenceOf(line, 3); ok {
		if j, ok := r.fences.After(f, i, r.end); ok {
			return r.raw(i, j+1)
		}
	}
	if b, ok := outline.BulletOf(line); ok && b.Indent == 0 {
		return r.raw(i, r.continued(i))
	}
	return r.raw(i, i+1)
}

// text2 reads the lines up to the first bullet of ours, because people who edit them need not know
// about indentation.
func (r *reader2) text2(i int) int {
	last := i
	for k := i; k < r.end && !(k > i && r.isKnown(k)); k++ {
		if f, ok := outline.FenceOf(r.l.Line(k), 3); ok {
			if j, ok := r.fences.After(f, k, r.end); ok {
				k = j
			}
		}
		if !r.l.Blank(k) {
			last = k
		}
	}
	r.began = true
	kind := kindSummary
	if r.asked.place == askedText {
		kind = kindTask
	}
	return r.add(kind, i, last+1, r.passageReader.text(r.l.Line(i), i, last+1))
}

// isKnown reports whether a bullet of ours begins on line i.
func (r *reader2) isKnown(i int) bool {
	b, ok := outline.BulletOf(r.l.Line(i))
	if !ok || b.Indent != 0 {
		return false
	}
	if strings.HasPrefix(b.Text, factMark) || labelOf(b.Text) != "" {
		return true
	}
	_, _, ok = factAt(r.l, i, r.end, b, false)
	return ok
}

// labels2 lists the labels of bullets.
var labels2 = []string{labelAsked, labelFailed, labelPrinted, labelChanged, labelUncommitted, labelMeanwhile, labelElsewhere, labelCommit2, labelDenied2, labelChecks, labelNote2, labelUndone2}

func labelOf(text string) string {
	for _, label := range labels2 {
		if rest, ok := strings.CutPrefix(text, label); ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t') {
			return label
		}
	}
	return ""
}

// known reads a bullet of ours.
func (r *reader2) known(i int) (end int, ok bool) {
	if !r.isKnown(i) {
		return 0, false
	}
	b, _ := outline.BulletOf(r.l.Line(i))
	label := labelOf(b.Text)
	if label == "" {
		f, end, _ := factAt(r.l, i, r.end, b, true)
		r.add(kindFact, i, end, f.Text)
		r.last().fact = &f
		return end, true
	}
	text := strings.TrimLeft(strings.TrimRight(b.Text, " \t")[len(label):], " \t")
	r.section = strings.TrimSuffix(label, ":")
	end = r.labelled(i, label, text)
	r.section = secHead
	return end, true
}

func (r *reader2) labelled(i int, label, text string) int {
	switch label {
	case labelAsked:
		if r.rest {
			r.rest = false
			return r.value(kindTask, i, text)
		}
		return r.value(kindThen, i, text)
	case labelFailed, labelPrinted:
		return r.value(kindError, i, text)
	case labelDenied2:
		return r.value(kindDenied, i, text)
	case labelNote2:
		return r.value(kindRemark, i, text)
	case labelChecks:
		r.add(kindChecks, i, i+1, text)
		r.last().checks = readChecks(text)
		return i + 1
	case labelCommit2:
		id, subject, _ := strings.Cut(text, " ")
		end := r.value(kindSubject, i, subject)
		r.last().label = id
		return end
	case labelUndone2:
		return r.add(kindResult, i, i+1, text)
	}
	return r.files2(i, label, text)
}

// files2 reads a list of files, or the reason why it could not be read.
func (r *reader2) files2(i int, label, text string) int {
	section := map[string]string{labelChanged: secChanges, labelUncommitted: secUncommitted, labelMeanwhile: secMeanwhile, labelElsewhere: secElsewhere}[label]
	if why, ok := strings.CutPrefix(text, labelUnread); ok {
		end := r.value(kindUnread, i, why)
		r.last().Section = section
		return end
	}
	items, uncommitted, ok := readFileList(text, label == labelElsewhere)
	if !ok {
		return r.raw(i, r.continued(i))
	}
	if uncommitted && label == labelChanged {
		section = secUncommitted
	}
	r.add(kindFiles, i, i+1, "")
	r.last().Section, r.last().files = section, items
	return i + 1
}

// entryOf2 builds an entry of version 2.
func entryOf2(heading string, f fields, list []Passage) *memory.Entry {
	e := newReading(f)
	e.result2(f)
	e.Title = titleOf2(heading, e.Entry)
	a, asked := readAsking(f.list("asked"))
	var extra []string
	var subjects []Passage
	for _, p := range list {
		switch {
		case p.kind == kindSubject:
			subjects = append(subjects, p)
		case p.kind == kindTask && a.rest == "":
			a.rest = p.Text
		case p.kind == kindChecks:
			e.Checks = append(e.Checks, p.checks...)
		case p.kind == kindFiles:
			l := e.list(p.Section)
			l.Items = append(l.Items, p.files...)
		case p.kind == kindResult:
			if !e.undone2(p.Text) {
				extra = append(extra, "- "+labelUndone2+" "+p.Text)
			}
		case !e.take(p):
			extra = append(extra, p.Text)
		}
	}
	if e.Task = e.Title; asked {
		e.Task = a.task(e.Title)
	}
	e.more(f)
	e.subjects(subjects)
	e.Extra = strings.Join(extra, "\n")
	e.perPath(f)
	return e.Entry
}

// more adds the files that did not fit into a bullet.
func (e reading) more(f fields) {
	for _, k := range []struct {
		fileKind
		of *changeset.List
	}{{listChanges, &e.Changes}, {listUncommitted, &e.Uncommitted}, {listMeanwhile, &e.Meanwhile}, {listElsewhere, &e.Elsewhere}} {
		for _, line := range f.list(k.more) {
			if c, rest, ok := readFile(line, k.more == listElsewhere.more); ok && rest == "" {
				k.of.Items = append(k.of.Items, c)
			}
		}
	}
}

func (e reading) result2(f fields) {
	outcome, ok := f["outcome"]
	if !ok {
		return
	}
	r := &memory.Result{Outcome: memory.Outcome(decodeValue(outcome))}
	r.Success = endedWell(r.Outcome)
	if said, err := strconv.ParseBool(f.value("success")); err == nil {
		r.Success = said
	}
	r.ExitCode, _ = strconv.Atoi(f.value("exit"))
	r.Turns, _ = strconv.Atoi(f.value("turns"))
	seconds, _ := strconv.ParseInt(f.value("seconds"), 10, 64)
	r.Duration = time.Duration(seconds) * time.Second
	r.CostUSD = f.share("cost")
	e.Result = r
}

// undone2 reads "2026-11-21T14:32:07Z, reverted by 9db68aa".
func (e reading) undone2(text string) bool {
	when, commit, _ := strings.Cut(text, revertedBy)
	at := commentTime(strings.TrimSpace(when), false)
	if at.IsZero() {
		return false
	}
	if e.Result == nil {
		e.Result = &memory.Result{}
	}
	e.Result.Undone, e.Result.RevertedBy = memory.FileTime(at), strings.TrimSpace(commit)
	return true
}

// titleOf2 returns the title in a heading, without its time and the outcome of the run.
func titleOf2(heading string, e *memory.Entry) string {
	text := strings.Trim(strings.TrimPrefix(heading, headingPrefix), headingBlanks)
	if e.Result != nil {
		text = strings.TrimSuffix(text, endings[e.Result.Outcome])
	}
	if clock, ok := clockOf(heading); ok {
		text = strings.TrimPrefix(text, clock)
	}
	return unescape(strings.Trim(text, headingBlanks))
}

// clockOf returns the time of day that a heading begins with.
func clockOf(heading string) (string, bool) {
	text := strings.TrimLeft(strings.TrimPrefix(heading, headingPrefix), headingBlanks)
	clock := text[:min(len(text), len(heading2Time))]
	_, err := time.Parse(heading2Time, clock)
	return clock, err == nil && len(clock) == len(heading2Time)
}
