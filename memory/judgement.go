package memory

import (
	"strings"
	"time"
)

// FeedbackFile is the file of the judgements, below the memory folder. A search finds nothing in
// it.
const FeedbackFile = "feedback.md"

// Judgement records that an entry, or a piece of hand-written text, was shown to a run that had no
// use for it.
type Judgement struct {
	ID    string    // UUIDv7
	Time  time.Time // whole seconds, offset kept
	Task  string    // the task of the run, on one line
	Entry string    // the thing it did not need: see Hit.Thing
	Title string    // its title, for people
	Run   string    // id of the run
}

// Normal returns the judgement as FormatJudgement writes it: see Entry.Normal. Its task and title
// are clean, on one line, without double quotes, and cut to 200 runes.
func (j Judgement) Normal() Judgement {
	j.Time = FileTime(j.Time)
	j.Task, j.Title = judgedText(j.Task), judgedText(j.Title)
	return j
}

// maxJudged is the maximum number of runes that a judgement keeps of a task and a title.
const maxJudged = 200

func judgedText(s string) string {
	s = strings.ReplaceAll(Clean(s), `"`, "'")
	return Head(strings.Join(strings.Fields(s), " "), maxJudged)
}
