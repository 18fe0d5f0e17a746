package markdown

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"agentflow/memory"
	"agentflow/memory/changeset"
)

// The headings of an entry's sections.
const (
	secHead        = "" // before the first heading
	secCommits     = "Commits"
	secChanges     = "Changes"
	secUncommitted = "Uncommitted"
	secMeanwhile   = "Changed meanwhile"
	secElsewhere   = "Written elsewhere"
	secResult      = "Result"
	secNotes       = "Notes"
	secSummary     = "Summary"
	secErrors      = "Errors Encountered"
	secMemories    = "Memories"
)

// The labels in front of values.
const (
	labelCommit = "**Commit**:"
	labelTask   = "**Task**:"
	labelThen   = "then:"
	labelDenied = "**Denied**:"
	labelNote   = "**Note**:"
	labelCheck  = "**Check**:"
	labelUnread = "could not read:"
	none        = "None"
)

const (
	headingPrefix = "## "
	sectionPrefix = "### "
	headingTime   = "2006-01-02 15:04"
	headingMiddle = " · "
	entryEnd      = "---"
)

// Format writes an entry, from its heading to the rule that ends it and an empty line, ready to be
// appended to a daily file. Parse returns e.Normal(), for any bytes in its strings.
func Format(e memory.Entry) []byte {
	e = e.Normal()
	w := &formatter{}
	w.head(e)
	if e.Task != "" {
		w.labelled(labelTask, escapeText(e.Task, place{fences: true}))
		w.line("")
	}
	w.then(e.Then)
	if e.Kind == memory.KindNote && len(e.Facts) > 0 {
		w.facts(e.Facts)
	}
	w.commits(e)
	always := e.Kind.ByAgent() || e.Kind == memory.KindCommit
	w.changes(secChanges, e.Changes, always)
	w.changes(secUncommitted, e.Uncommitted, false)
	w.changes(secMeanwhile, e.Meanwhile, false)
	w.changes(secElsewhere, e.Elsewhere, false)
	w.result(e)
	if e.Summary != "" {
		w.section(secSummary)
		w.line(escapeText(e.Summary, place{start: true, fences: true}))
		w.line("")
	}
	w.errors(e)
	if e.Kind != memory.KindNote && len(e.Facts) > 0 {
		w.section(secMemories)
		w.facts(e.Facts)
	}
	w.line(entryEnd)
	w.line("")
	return []byte(w.b.String())
}

type formatter struct{ b strings.Builder }

func (w *formatter) line(s string) {
	w.b.WriteString(s)
	w.b.WriteByte('\n')
}

func (w *formatter) section(name string) { w.line(sectionPrefix + name) }

// labelled writes a label and its value. Without a value it writes no blank after the label.
func (w *formatter) labelled(label, value string) {
	if value == "" {
		w.line(label)
		return
	}
	w.line(label + " " + value)
}

func (w *formatter) head(e memory.Entry) {
	heading := headingPrefix + e.Time.Format(headingTime)
	if e.Title != "" {
		heading += headingMiddle + escapeInline(e.Title)
	}
	w.line(heading)
	w.line("")
	w.line(entryHead(e))
	w.line("")
	if n := len(e.Commits); n > 0 {
		noun := "commits"
		if n == 1 {
			noun = "commit"
		}
		w.line(fmt.Sprintf("%s %s (%d %s)", labelCommit, shortCommit(e.Commits[0].ID), n, noun))
		w.line("")
	}
}

// then lists the later prompts of a session.
func (w *formatter) then(prompts []string) {
	for _, p := range prompts {
		w.labelled("- "+labelThen, escapeText(p, place{}))
	}
	if len(prompts) > 0 {
		w.line("")
	}
}

// entryHead returns the comment that makes the lines around it an entry.
func entryHead(e memory.Entry) string {
	var w commentWriter
	w.pair("v", "1")
	w.value("kind", string(e.Kind))
	w.value("id", e.ID)
	w.pair("time", encodeValue(e.Time.Format(time.RFC3339), false))
	w.value("agent", e.Agent)
	w.value("model", e.Model)
	w.value("session", e.Session)
	w.value("branch", e.Branch)
	w.value("worktree", e.Worktree)
	w.value("base", e.Base)
	w.list("commits", commitIDs(e.Commits))
	w.list("patch", e.Patch)
	w.list("possible", commitIDs(e.PossibleCommits))
	w.value("certainty", certaintyLetters(e))
	w.list("made", blobs(e.Changes))
	w.list("left", blobs(e.Uncommitted))
	w.list("runs", e.Runs)
	if e.Result != nil {
		w.value("outcome", string(e.Result.Outcome))
	}
	if e.Pinned {
		w.pair("pinned", "1")
	}
	return commentOpen + "agentflow " + w.b.String() + commentClose
}

func commitIDs(commits []changeset.Commit) []string {
	ids := make([]string, len(commits))
	for i, c := range commits {
		ids[i] = c.ID
	}
	return ids
}

// shortCommit returns the short form of a commit id, for people only.
func shortCommit(id string) string {
	id = id[:min(len(id), 7)]
	if id == "" || strings.Trim(id, "0123456789abcdefABCDEF") != "" {
		return "?"
	}
	return id
}

// commits lists subjects, if there are any, and commits that are only possible.
func (w *formatter) commits(e memory.Entry) {
	known := len(e.PossibleCommits) > 0
	for _, c := range e.Commits {
		known = known || c.Subject != ""
	}
	if !known {
		return
	}
	w.section(secCommits)
	for _, c := range e.Commits {
		w.labelled("- "+shortCommit(c.ID), escapeText(c.Subject, place{}))
	}
	for _, c := range e.PossibleCommits {
		w.labelled("- "+shortCommit(c.ID), putPossibly(escapeText(c.Subject, place{})))
	}
	w.line("")
}

// changes writes a list of changes, why it could not be read, or, if always is true, that nothing
// changed.
func (w *formatter) changes(name string, l changeset.List, always bool) {
	clean := len(l.Items) == 0 && l.Unread == ""
	if clean && !always {
		return
	}
	w.section(name)
	for _, c := range l.Items {
		w.line("- " + FormatChange(c))
	}
	if l.Unread != "" {
		if len(l.Items) > 0 {
			w.line("")
		}
		w.labelled(labelUnread, escapeText(l.Unread, place{}))
	}
	if clean {
		w.line(none)
	}
	w.line("")
}

func (w *formatter) result(e memory.Entry) {
	r := e.Result
	switch {
	case r != nil:
		w.section(secResult)
		w.line("- **Success**: " + strconv.FormatBool(r.Success))
		w.line("- **Exit Code**: " + strconv.Itoa(r.ExitCode))
		w.line("- **Duration**: " + r.Duration.String())
		var parts []string
		if r.Turns != 0 {
			parts = append(parts, "**Turns**: "+strconv.Itoa(r.Turns))
		}
		if r.CostUSD != 0 {
			parts = append(parts, "**Cost**: $"+strconv.FormatFloat(r.CostUSD, 'f', -1, 64))
		}
		if len(parts) > 0 {
			w.line("- " + strings.Join(parts, headingMiddle))
		}
		if !r.Undone.IsZero() {
			w.line(undoneLine(*r))
		}
	case len(e.Remarks)+len(e.Checks) > 0:
		w.section(secNotes)
	default:
		return
	}
	for _, s := range e.Remarks {
		w.labelled("- "+labelNote, escapeText(s, place{}))
	}
	for _, s := range e.Checks {
		w.labelled("- "+labelCheck, escapeText(s, place{}))
	}
	w.line("")
}

// The labels of a run's result if the run was undone.
const (
	labelUndone   = "**Undone**"
	labelReverted = "**Reverted by**"
)

func undoneLine(r memory.Result) string {
	line := "- " + labelUndone + ": " + r.Undone.Format(time.RFC3339)
	if r.RevertedBy != "" {
		line += headingMiddle + labelReverted + ": " + r.RevertedBy
	}
	return line
}

func (w *formatter) errors(e memory.Entry) {
	clean := len(e.Errors)+len(e.Denials) == 0
	if clean && !e.Kind.ByAgent() {
		return
	}
	w.section(secErrors)
	for _, s := range e.Errors {
		text := escapeText(s, place{start: true})
		if strings.HasPrefix(text, labelDenied) {
			text = `\` + text
		}
		w.labelled("-", text)
	}
	for _, s := range e.Denials {
		w.labelled("- "+labelDenied, escapeText(s, place{}))
	}
	if clean {
		w.line(none)
	}
	w.line("")
}

func (w *formatter) facts(facts []memory.Fact) {
	for _, f := range facts {
		w.b.WriteString(FormatFact(f))
	}
	w.line("")
}

// EntryHeading returns an entry's heading as people read it.
func EntryHeading(e memory.Entry) string {
	when := e.Time.Format(headingTime)
	if e.Title == "" {
		return when
	}
	return when + headingMiddle + e.Title
}
