package transfer

import (
	"fmt"
	"time"

	"agentflow/memory"
	"agentflow/memory/changeset"
)

// Item is an entry, a fact or a whole file that was read.
type Item struct {
	Entry *memory.Entry
	Raw   []byte // the entry's text in its file, if that holds more than its fields
	Fact  memory.Fact
	Day   time.Time // the day of a fact, midnight UTC; zero for one of MEMORY.md
	Faded bool      // a fact that was moved out of MEMORY.md, to archive/facts.md
	Plain bool      // not a fact: its Text is kept as text of a file, under its Category
	Whole []byte    // the text of a whole memory file, which is called Name; there is no Fact
	Name  string    // relative to the memory folder, '/' separated
	File  string    // the file that it was read from
	Line  int       // 1-based
}

// Problem is something in a file that could not be imported as it is.
type Problem struct {
	File string `json:"file"` // its name, relative to the folder that was given
	Line int    `json:"line"` // counted from 1; 0 for the whole file
	What string `json:"what"` // is wrong with it
}

// String returns the problem on one line.
func (p Problem) String() string {
	if p.Line == 0 {
		return fmt.Sprintf("%s: %s", p.File, p.What)
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.What)
}

// Redact passes every text of the items that people or agents wrote through f. Paths, ids and the
// like stay.
func Redact(items []Item, f func(string) string) {
	for i := range items {
		it := &items[i]
		it.Fact = it.Fact.Redacted(f)
		if it.Whole != nil {
			it.Whole = []byte(f(string(it.Whole)))
		}
		if it.Entry == nil {
			continue
		}
		if it.Raw != nil {
			it.Raw = []byte(f(string(it.Raw)))
			if e, ok := onlyEntry(it.Raw); ok {
				it.Entry = e
				continue
			}
			it.Raw = nil // the text besides the fields cannot be kept
		}
		redactEntry(it.Entry, f)
	}
}

func redactEntry(e *memory.Entry, f func(string) string) {
	for _, text := range []*string{&e.Title, &e.Task, &e.Summary} {
		*text = f(*text)
	}
	for _, list := range []*changeset.List{&e.Changes, &e.Uncommitted, &e.Meanwhile, &e.Elsewhere} {
		*list = list.Redacted(f)
	}
	for _, list := range [][]string{e.Errors, e.Denials, e.Remarks} {
		for i := range list {
			list[i] = f(list[i])
		}
	}
	for _, list := range [][]changeset.Commit{e.Commits, e.PossibleCommits} {
		for i := range list {
			list[i].Subject = f(list[i].Subject)
		}
	}
	for i := range e.Facts {
		e.Facts[i] = e.Facts[i].Redacted(f)
	}
}
