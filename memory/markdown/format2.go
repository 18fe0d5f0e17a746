package markdown

import (
	"math"
	"strconv"
	"strings"
	"time"

	"agentflow/memory"
	"agentflow/memory/changeset"
	"agentflow/memory/internal/outline"
)

// errorLabel returns the label of an entry's errors: the reasons why a run failed, or only the
// errors that it printed.
func errorLabel(e memory.Entry) string {
	if e.Result != nil && e.Result.Success {
		return labelPrinted
	}
	return labelFailed
}

// FormatV2 writes an entry in version 2, with an empty line at its end. A note with one fact is a
// bullet, which belongs below the heading NotesHeading. Parse returns NormalV2(e), for any bytes in
// its strings.
func FormatV2(e memory.Entry) []byte {
	e = NormalV2(e)
	if isNote(e) {
		return []byte(noteBullet(e))
	}
	w := &formatter{}
	w.line(heading2(e))
	w.line("")
	a, hasTask := askingOf(e)
	w.text2(e, a)
	comment := &commentWriter{}
	start := w.b.Len()
	w.bullets2(e, a, comment)
	if w.b.Len() > start {
		w.line("")
	}
	w.line(entryHead2(e, a, hasTask, comment.b.String()))
	w.line("")
	return []byte(w.b.String())
}

// NormalV2 returns the entry as FormatV2 writes it: as Entry.Normal does, with a duration
// in whole seconds and a cost in cents, or in two digits below a cent.
func NormalV2(e memory.Entry) memory.Entry {
	e = e.Normal()
	if r := e.Result; r != nil {
		seconds := r.Duration.Round(time.Second) / time.Second
		if seconds == 0 && r.Duration > 0 {
			seconds = 1
		}
		r.Duration, r.CostUSD = seconds*time.Second, roundedCost(r.CostUSD)
	}
	return e
}

func roundedCost(cost float64) float64 {
	if cents := math.Round(cost * 100); cents != 0 && !math.IsInf(cents, 0) {
		return cents / 100
	}
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(cost, 'g', 2, 64), 64)
	if err != nil {
		return cost
	}
	return rounded
}

// heading2 returns the heading: "## 12:40 Run the linter in CI: failed".
func heading2(e memory.Entry) string {
	line := headingPrefix + e.Time.Format(heading2Time)
	if e.Title != "" {
		line += " " + escapeInline(e.Title)
	}
	if e.Result != nil {
		line += endings[e.Result.Outcome]
	}
	return line
}

// text2 writes the text that comes first in the entry.
func (w *formatter) text2(e memory.Entry, a asking) {
	text := e.Summary
	if a.place == askedText {
		text = a.below()
	}
	if text == "" {
		return
	}
	text = escapeText(text, place{start: true, fences: true})
	if _, bullet := outline.BulletOf(text[:strings.IndexByte(text+"\n", '\n')]); bullet {
		at := len(text) - len(strings.TrimLeft(text, " \t"))
		mark := text[at : at+1]
		if strings.Contains(escapable, mark) {
			mark = `\` + mark
		} else {
			mark = hexEscape(text[at])
		}
		text = text[:at] + mark + text[at+1:]
	}
	w.line(text)
	w.line("")
}

func (w *formatter) bullet2(label, text string) { w.labelled("- "+label, escapeText(text, place{})) }

// bullets2 writes the bullets, and adds the files that do not fit to the comment.
func (w *formatter) bullets2(e memory.Entry, a asking, comment *commentWriter) {
	if a.place == askedBullet {
		w.bullet2(labelAsked, a.below())
	}
	for _, p := range e.Then {
		w.bullet2(labelAsked, p)
	}
	for _, s := range e.Errors {
		w.bullet2(errorLabel(e), s)
	}
	w.files2(listChanges, e.Changes, comment)
	w.files2(listUncommitted, e.Uncommitted, comment)
	for _, c := range e.Commits {
		w.labelled("- "+labelCommit2+" "+shortCommit(c.ID), escapeText(c.Subject, place{}))
	}
	for _, c := range e.PossibleCommits {
		w.labelled("- "+labelCommit2+" "+shortCommit(c.ID), putPossibly(escapeText(c.Subject, place{})))
	}
	for _, s := range e.Denials {
		w.bullet2(labelDenied2, s)
	}
	if len(e.Checks) > 0 {
		w.line("- " + labelChecks + " " + checkList(e.Checks))
	}
	for _, s := range e.Remarks {
		w.bullet2(labelNote2, s)
	}
	w.files2(listMeanwhile, e.Meanwhile, comment)
	w.files2(listElsewhere, e.Elsewhere, comment)
	if e.Result != nil && !e.Result.Undone.IsZero() {
		w.line(undoneLine2(*e.Result))
	}
	for _, f := range e.Facts {
		w.b.WriteString(formatMarked(f))
	}
}

func (w *formatter) files2(k fileKind, l changeset.List, comment *commentWriter) {
	if len(l.Items) > 0 {
		line, more := fileList(l.Items, k)
		w.line("- " + k.label + " " + line)
		comment.list(k.more, more)
	}
	if l.Unread != "" {
		w.labelled("- "+k.unread+" "+labelUnread, escapeText(l.Unread, place{}))
	}
}

const checkSep = ", "

func checkList(checks []string) string {
	parts := make([]string, len(checks))
	for i, c := range checks {
		parts[i] = escapeWithout(c, ",")
	}
	return strings.Join(parts, checkSep)
}

func readChecks(line string) (checks []string) {
	for part := range strings.SplitSeq(line, ",") {
		if part = unescape(strings.Trim(part, " \t")); part != "" {
			checks = append(checks, part)
		}
	}
	return checks
}

func undoneLine2(r memory.Result) string {
	line := "- " + labelUndone2 + " " + r.Undone.Format(time.RFC3339)
	if r.RevertedBy != "" {
		line += revertedBy + r.RevertedBy
	}
	return line
}

// formatMarked returns a fact's bullet in an entry of version 2.
func formatMarked(f memory.Fact) string {
	return markFact(FormatFact(f))
}

// markFact adds the mark to a fact's bullet.
func markFact(bullet string) string {
	at := strings.IndexAny(bullet, "-*+") + 1
	return bullet[:at] + " " + factMark + bullet[at:]
}

// entryHead2 returns the comment that ends an entry.
func entryHead2(e memory.Entry, a asking, hasTask bool, more string) string {
	var w commentWriter
	w.pair("v", "2")
	w.value("kind", string(e.Kind))
	w.value("id", e.ID)
	w.pair("time", encodeValue(e.Time.Format(time.RFC3339), false))
	w.value("agent", e.Agent)
	w.value("model", e.Model)
	w.value("session", e.Session)
	w.value("branch", e.Branch)
	w.value("worktree", e.Worktree)
	w.value("base", e.Base)
	w.result2(e.Result)
	w.list("commits", commitIDs(e.Commits))
	w.list("patch", e.Patch)
	w.list("possible", commitIDs(e.PossibleCommits))
	w.value("certainty", certaintyLetters(e))
	w.list("made", blobs(e.Changes))
	w.list("left", blobs(e.Uncommitted))
	w.list("runs", e.Runs)
	if hasTask {
		w.list("asked", a.values())
	}
	w.b.WriteString(more)
	if e.Pinned {
		w.pair("pinned", "1")
	}
	return commentOpen + "agentflow " + w.b.String() + commentClose
}

// result2 writes an outcome even if it is empty, because it shows that there is a result.
func (w *commentWriter) result2(r *memory.Result) {
	if r == nil {
		return
	}
	w.pair("outcome", encodeValue(string(r.Outcome), false))
	if r.Success != endedWell(r.Outcome) {
		w.pair("success", strconv.FormatBool(r.Success))
	}
	for _, n := range []struct {
		key   string
		value int64
	}{{"exit", int64(r.ExitCode)}, {"turns", int64(r.Turns)}, {"seconds", int64(r.Duration / time.Second)}} {
		if n.value != 0 {
			w.pair(n.key, strconv.FormatInt(n.value, 10))
		}
	}
	w.share("cost", r.CostUSD)
}

func endedWell(o memory.Outcome) bool { return o == memory.OutcomeOK || o == memory.OutcomeDiscussed }
