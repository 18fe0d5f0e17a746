package writeback

import (
	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/trace"
	"agentflow/writeback/internal/view"
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// judgementsQuoting returns the ids of the judgements, including forgotten ones, that name a run or
// entry by words of q. A note is named by its first fact.
func judgementsQuoting(v *view.View, q trace.Quote) []string {
	texts := [][]byte{v.Files.Get(memory.FeedbackFile)}
	for _, l := range v.Lost {
		if l.File == memory.FeedbackFile {
			texts = append(texts, l.Text)
		}
	}
	var ids []string
	for _, j := range markdown.ParseJudgements(bytes.Join(texts, nil)) {
		if !q.Has(j.ID) && slices.ContainsFunc(q.Lines(), func(line string) bool {
			n := memory.Judgement{Task: line, Title: line}.Normal()
			return j.Title == n.Title || j.Task == n.Task
		}) {
			ids = append(ids, j.ID)
		}
	}
	return ids
}

// stillQuoted lists the lines of memory that hold part of a purged text. They stay, because they
// belong to another entry.
func stillQuoted(v *view.View, q trace.Quote) []string {
	var places []string
	for name, content := range v.Files.All() {
		line := 0
		for text := range bytes.Lines(content) {
			if line++; q.In(text) {
				places = append(places, fmt.Sprintf("%s:%d", name, line))
			}
		}
	}
	return places
}

// quoteOf returns a quote of the lines that a person or an agent wrote: titles, tasks, summaries,
// errors, denials and facts, without the labels around them.
func quoteOf(id string, text []byte) trace.Quote {
	q := trace.Of(id)
	for _, b := range markdown.Parse(text).Blocks {
		if e := b.Entry; e != nil {
			if !memory.SameTitle(e.Title, memory.Title(e.Task)) { // else it is a beginning of the task
				q.Add(strings.TrimSuffix(e.Title, "…"))
			}
			q.Add(e.Task, e.Summary)
			q.Add(e.Then...)
			q.Add(e.Errors...)
			q.Add(e.Denials...)
		}
		for _, f := range b.Facts {
			q.Add(f.Text)
		}
	}
	return q
}
