package markdown

import (
	"strconv"
	"strings"

	"agentflow/memory"
)

// asking describes how an entry of version 2 writes its task: as the first keep bytes of the title,
// gap newlines and the text rest. It is stored in the pair asked of the comment. The pair is absent
// if the task is the title.
type asking struct {
	keep, gap int
	rest      string
	place     string // where rest is: see below
}

// The places of the rest of a task.
const (
	askedNowhere = "none" // rest is empty
	askedBullet  = "line" // in the first bullet "asked:"
	askedText    = "text" // rest is the text of the entry: the message of a commit
)

// cutMark ends a title that was cut.
const cutMark = "…"

// askingOf returns the part of a task that the title does not hold. needed is false if the title is
// the whole task.
func askingOf(e memory.Entry) (a asking, needed bool) {
	if e.Task == e.Title {
		return asking{}, false
	}
	a = asking{rest: e.Task}
	more, begins := strings.CutPrefix(e.Task, e.Title)
	head, cut := strings.CutSuffix(e.Title, cutMark)
	switch below := strings.TrimLeft(more, "\n"); {
	case e.Title == "":
	case begins && len(below) < len(more):
		a = asking{keep: len(e.Title), gap: len(more) - len(below), rest: below}
	case cut && strings.HasPrefix(e.Task, head):
		if a.keep = len(head); !strings.HasPrefix(e.Task[a.keep:], " ") { // an older program cut within a word
			a.keep = strings.LastIndexByte(head, ' ') + 1
		}
		a.rest = e.Task[a.keep:]
	}
	a.place = askedBullet
	switch {
	case a.rest == "":
		a.place = askedNowhere
	case e.Kind == memory.KindCommit && e.Summary == "":
		a.place = askedText
	}
	return a, true
}

// below returns rest as the entry has it. It begins with cutMark if it continues the title's line.
func (a asking) below() string {
	if a.continues() {
		return cutMark + a.rest
	}
	return a.rest
}

func (a asking) continues() bool { return a.keep > 0 && a.gap == 0 }

func (a asking) values() []string {
	return []string{strconv.Itoa(a.keep), strconv.Itoa(a.gap), a.place}
}

// readAsking reverses values.
func readAsking(list []string) (a asking, ok bool) {
	if len(list) != 3 {
		return a, false
	}
	var err1, err2 error
	a.keep, err1 = strconv.Atoi(list[0])
	a.gap, err2 = strconv.Atoi(list[1])
	a.place = list[2]
	return a, err1 == nil && err2 == nil && a.keep >= 0 && a.gap >= 0 && a.gap <= maxGap
}

// maxGap bounds the newlines that a comment can add to a task.
const maxGap = 1 << 20

// task returns the task. If a person edited the title, all of it counts.
func (a asking) task(title string) string {
	head := title
	switch {
	case a.keep == 0:
		head = ""
	case a.continues() && a.keep < len(title) && strings.HasSuffix(title, cutMark):
		return title[:a.keep] + strings.TrimPrefix(a.rest, cutMark)
	case a.continues():
		return title + "\n" + a.rest
	}
	return head + strings.Repeat("\n", a.gap) + a.rest
}
