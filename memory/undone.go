package memory

import (
	"strings"
	"time"
)

// What a run's result says when the run was taken back.
const (
	labelUndone   = "**Undone**"
	labelReverted = "**Reverted by**"
)

// IsUndone says whether the entry is that of a run that was taken back.
func (e *Entry) IsUndone() bool { return e.Result != nil && !e.Result.Undone.IsZero() }

// undoneLine is the bullet that says so.
func undoneLine(r *Result) string {
	line := "- " + labelUndone + ": " + r.Undone.Format(time.RFC3339)
	if r.RevertedBy != "" {
		line += headingMiddle + labelReverted + ": " + r.RevertedBy
	}
	return line
}

// normalUndo drops what the bullet cannot say.
func (r *Result) normalUndo() {
	if r.Undone = normalTime(r.Undone); r.Undone.IsZero() || !isCommitID(r.RevertedBy) {
		r.RevertedBy = ""
	}
}

func isCommitID(s string) bool {
	for i := range len(s) {
		if !isHex(s, i) {
			return false
		}
	}
	return len(s) >= 7
}

// Undone marks the entry of a run that was taken back, wherever it stands: its
// result gets a bullet of its own, and every other byte stays. found says
// whether there is such a run; where it is marked already, text equals the
// file. The document itself is not changed.
func (d *Document) Undone(id string, at time.Time, revertedBy string) (text []byte, found bool) {
	mark := &Result{Undone: at, RevertedBy: revertedBy}
	mark.normalUndo()
	for _, b := range d.Blocks {
		raw := string(b.Raw)
		if b.Entry != nil && b.Entry.ID == id && b.Entry.Kind == KindRun {
			if found = true; !b.Entry.IsUndone() {
				raw = b.withResult(undoneLine(mark))
			}
		}
		text = append(text, raw...)
	}
	return text, found
}

// withResult is the entry with one more bullet behind those of its result; one
// that has no result gets the section at its end.
func (b *Block) withResult(bullet string) string {
	l := splitLines(b.Raw)
	var h head
	for i := range l.count() {
		if _, ok := entryComment(l.at(i)); ok {
			h.comment = i
			break
		}
	}
	at := -1
	for _, it := range readItems(l, h, l.count()) {
		if it.kind == itemResult || it.kind == itemOther && it.section == secResult {
			at = it.end
		}
	}
	if at >= 0 {
		return ended(l.src[:l.start[at]]) + bullet + "\n" + l.src[l.start[at]:]
	}
	end := l.count()
	for i := h.comment + 1; i < l.count(); i++ {
		if isEnd(l.at(i)) {
			end = i
			break
		}
	}
	return ended(l.src[:l.start[end]]) + "\n### " + secResult + "\n" + bullet + "\n\n" + l.src[l.start[end]:]
}

// ended is the text with a newline at its end.
func ended(text string) string {
	if strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}
