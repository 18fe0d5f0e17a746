package markdown

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"agentflow/memory"
	"agentflow/memory/changeset"
)

// newReading begins an entry with the fields in its comment.
func newReading(f fields) reading {
	e := reading{&memory.Entry{
		ID: f.value("id"), Kind: memory.Kind(f.value("kind")), Time: timeOf(f.value("time")),
		Agent: f.value("agent"), Model: f.value("model"), Session: f.value("session"),
		Branch: f.value("branch"), Worktree: f.value("worktree"), Base: f.value("base"),
		Patch: f.list("patch"), Runs: f.list("runs"), Pinned: isPinned(f),
	}}
	for _, id := range f.list("commits") {
		e.Commits = append(e.Commits, changeset.Commit{ID: id})
	}
	for _, id := range f.list("possible") {
		e.PossibleCommits = append(e.PossibleCommits, changeset.Commit{ID: id})
	}
	return e
}

func entryOf(heading string, f fields, list []Passage) *memory.Entry {
	e := newReading(f)
	e.Title = titleOf(heading)
	if outcome, ok := f["outcome"]; ok {
		e.Result = &memory.Result{Outcome: memory.Outcome(decodeValue(outcome))}
	}
	var extra []string
	var subjects []Passage
	for _, p := range list {
		if p.kind == kindSubject {
			subjects = append(subjects, p)
		} else if !e.take(p) {
			extra = append(extra, p.Text)
		}
	}
	e.subjects(subjects)
	e.Extra = strings.Join(extra, "\n")
	e.perPath(f)
	return e.Entry
}

type reading struct{ *memory.Entry }

// perPath sets the blobs and certainties of paths from the comment of the entry, which has them in
// the order of the paths. If a person added or removed lines, they can no longer be assigned: blobs
// then stay empty, and certainties become Likely. A path marked "(possibly)" is possible regardless
// of the comment, because people see the mark. An entry without letters was written before there
// were certainties, so all of its paths are possible.
func (e reading) perPath(f fields) {
	letters := f.value("certainty")
	changes, uncommitted, _ := strings.Cut(letters, "/")
	for _, list := range []struct {
		of      *changeset.List
		letters string
		blobs   []string
	}{{&e.Changes, changes, f.list("made")}, {&e.Uncommitted, uncommitted, f.list("left")}, {of: &e.Meanwhile}, {of: &e.Elsewhere}} {
		items := list.of.Items
		for i := range items {
			c := &items[i]
			if len(list.blobs) == len(items) {
				c.Blob = list.blobs[i]
			}
			switch {
			case !e.Kind.ByAgent() || list.of == &e.Meanwhile:
				c.Certainty = ""
			case list.of == &e.Elsewhere:
				c.Certainty = cmp.Or(c.Certainty, changeset.Shown)
			case letters == "" || c.Certainty == changeset.Possible:
				c.Certainty = changeset.Possible
			case len(list.letters) == len(items) && list.letters[i] == changeset.Shown[0]:
				c.Certainty = changeset.Shown
			default:
				c.Certainty = changeset.Likely
			}
		}
	}
}

// take stores a passage in its field. It returns false if no field accepts it.
func (e reading) take(p Passage) bool {
	switch p.kind {
	case kindTask:
		return setOnce(&e.Task, p.Text)
	case kindThen:
		e.Then = append(e.Then, p.Text)
	case kindSummary:
		return setOnce(&e.Summary, p.Text)
	case kindChange:
		list := e.list(p.Section)
		list.Items = append(list.Items, *p.change)
	case kindUnread:
		return setOnce(&e.list(p.Section).Unread, p.Text)
	case kindResult:
		return e.takeResult(p.Text)
	case kindRemark:
		e.Remarks = append(e.Remarks, p.Text)
	case kindError:
		e.Errors = append(e.Errors, p.Text)
	case kindChecks:
		e.Checks = append(e.Checks, p.checks...)
	case kindDenied:
		e.Denials = append(e.Denials, p.Text)
	case kindFact:
		e.Facts = append(e.Facts, *p.fact)
	case kindExtra:
		return false
	}
	return true
}

func setOnce(field *string, value string) bool {
	if *field != "" {
		return false
	}
	*field = value
	return true
}

func (e reading) list(section string) *changeset.List {
	switch section {
	case secUncommitted:
		return &e.Uncommitted
	case secMeanwhile:
		return &e.Meanwhile
	case secElsewhere:
		return &e.Elsewhere
	default:
		return &e.Changes
	}
}

// takeResult reads one bullet of the result, which may hold two values.
func (e reading) takeResult(text string) bool {
	if e.Result == nil {
		e.Result = &memory.Result{}
	}
	r := e.Result
	for part := range strings.SplitSeq(text, headingMiddle) {
		label, value, _ := strings.Cut(strings.TrimSpace(part), ": ")
		var err error
		switch label {
		case "**Success**":
			r.Success, err = strconv.ParseBool(value)
		case "**Exit Code**":
			r.ExitCode, err = strconv.Atoi(value)
		case "**Duration**":
			r.Duration, err = time.ParseDuration(value)
		case "**Turns**":
			r.Turns, err = strconv.Atoi(value)
		case "**Cost**":
			r.CostUSD, err = strconv.ParseFloat(strings.TrimPrefix(value, "$"), 64)
		case labelUndone:
			if r.Undone = commentTime(value, false); r.Undone.IsZero() {
				return false
			}
		case labelReverted:
			r.RevertedBy = value
		default:
			return false
		}
		if err != nil {
			return false
		}
	}
	return true
}

// subjects gives commits their subjects: in order, or by short id if a person removed lines.
func (e reading) subjects(items []Passage) {
	inOrder := len(items) == len(e.Commits)+len(e.PossibleCommits)
	byID := make(map[string]string, len(items))
	for _, it := range items {
		byID[it.label] = it.Text
	}
	subject := func(i int, id string) string {
		if inOrder {
			return items[i].Text
		}
		return byID[shortCommit(id)]
	}
	for i, c := range e.Commits {
		e.Commits[i].Subject = subject(i, c.ID)
	}
	for i, c := range e.PossibleCommits {
		e.PossibleCommits[i].Subject, _ = cutPossibly(subject(len(e.Commits)+i, c.ID))
	}
}

// headingBlanks is trimmed off a title. Other white space, such as the ideographic space, may
// belong to the title, because Format does not escape it.
const headingBlanks = " \t\r"

// titleOf returns the title in a heading. People may have edited the date before it.
func titleOf(heading string) string {
	text := strings.Trim(strings.TrimPrefix(heading, headingPrefix), headingBlanks)
	date := text[:min(len(text), len(headingTime))]
	if _, err := time.Parse(headingTime, date); err != nil {
		return unescape(text)
	}
	rest := text[len(date):]
	if title, ok := strings.CutPrefix(rest, headingMiddle); ok {
		return unescape(strings.Trim(title, headingBlanks))
	}
	return unescape(strings.Trim(rest, headingBlanks))
}

func isPinned(f fields) bool { return f["pinned"] == "1" }
