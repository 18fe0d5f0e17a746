package memory

import (
	"strconv"
	"strings"
	"time"
)

// entryOf builds an entry from its heading, its comment and its items.
func entryOf(heading string, f fields, items []item) *Entry {
	e := &Entry{
		ID: f.value("id"), Kind: Kind(f.value("kind")), Time: timeOf(f.value("time")),
		Agent: f.value("agent"), Model: f.value("model"), Session: f.value("session"),
		Branch: f.value("branch"), Worktree: f.value("worktree"), Base: f.value("base"),
		Patch: f.list("patch"), Runs: f.list("runs"), Pinned: isPinned(f),
	}
	e.Title = titleOf(heading)
	for _, id := range f.list("commits") {
		e.Commits = append(e.Commits, Commit{ID: id})
	}
	for _, id := range f.list("possible") {
		e.PossibleCommits = append(e.PossibleCommits, Commit{ID: id})
	}
	if outcome, ok := f["outcome"]; ok {
		e.Result = &Result{Outcome: Outcome(decodeValue(outcome))}
	}
	var extra []string
	var subjects []item
	for _, it := range items {
		if it.kind == itemSubject {
			subjects = append(subjects, it)
		} else if !e.take(it) {
			extra = append(extra, it.value)
		}
	}
	e.subjects(subjects)
	e.Changes.setBlobs(f.list("made"))
	e.Uncommitted.setBlobs(f.list("left"))
	e.setCertainty(f.value("certainty"))
	e.Extra = strings.Join(extra, "\n")
	return e
}

// take puts an item into its field; false says that no field takes it.
func (e *Entry) take(it item) bool {
	switch it.kind {
	case itemTask:
		return setOnce(&e.Task, it.value)
	case itemSummary:
		return setOnce(&e.Summary, it.value)
	case itemChange:
		c, ok := ParseChange(it.value)
		if ok {
			list := e.changes(it.section)
			list.Items = append(list.Items, c)
		}
		return ok
	case itemUnread:
		return setOnce(&e.changes(it.section).Unread, it.value)
	case itemResult:
		return e.takeResult(it.value)
	case itemNote:
		e.Remarks = append(e.Remarks, it.value)
	case itemError:
		e.Errors = append(e.Errors, it.value)
	case itemDenied:
		e.Denials = append(e.Denials, it.value)
	case itemFact:
		e.Facts = append(e.Facts, it.fact)
	case itemExtra:
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

func (e *Entry) changes(section string) *ChangeList {
	switch section {
	case secUncommitted:
		return &e.Uncommitted
	case secMeanwhile:
		return &e.Meanwhile
	default:
		return &e.Changes
	}
}

// takeResult reads one bullet of the result, which may hold two values.
func (e *Entry) takeResult(text string) bool {
	if e.Result == nil {
		e.Result = &Result{}
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

// subjects gives commits their subjects: in order, or by short id when
// somebody took lines out.
func (e *Entry) subjects(items []item) {
	inOrder := len(items) == len(e.Commits)+len(e.PossibleCommits)
	byID := make(map[string]string, len(items))
	for _, it := range items {
		byID[it.label] = it.value
	}
	subject := func(i int, id string) string {
		if inOrder {
			return items[i].value
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

// headingBlanks are trimmed off a title. Other white space, such as the
// ideographic space, may be its own: Format does not escape it.
const headingBlanks = " \t\r"

// titleOf takes the title from a heading, whose date people may have edited.
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

func timeOf(s string) time.Time {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}
	}
	return normalTime(t)
}
