package memory

import (
	"strings"
	"time"
)

// FeedbackFile is where judgements stand, below the memory folder. Nothing
// in it is found by search.
const FeedbackFile = "feedback.md"

// Judgement says that an entry, or a piece of hand-written text, was put in
// front of a run that had no use for it.
type Judgement struct {
	ID    string    // UUIDv7
	Time  time.Time // whole seconds, offset kept
	Task  string    // what the run was asked to do, on one line
	Entry string    // what it did not need: see Hit.Thing
	Title string    // that, for people
	Run   string    // id of the run
}

// Normal is the judgement as FormatJudgement writes it: see Entry.Normal. Its
// task and title are clean, on one line, without double quotes, and cut to 200
// runes.
func (j Judgement) Normal() Judgement {
	j.Time = FileTime(j.Time)
	j.Task, j.Title = judgedText(j.Task), judgedText(j.Title)
	return j
}

// maxJudged is how many runes of a task and a title a judgement keeps.
const maxJudged = 200

func judgedText(s string) string {
	s = strings.ReplaceAll(Clean(s), `"`, "'")
	return Head(strings.Join(strings.Fields(s), " "), maxJudged)
}
