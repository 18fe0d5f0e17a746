package consolidate

import (
	"strings"
	"time"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// fact is a fact at its place in a file, and the decisions about it.
type fact struct {
	memory.Fact // in its new form
	file        string
	in          *memory.Entry // the entry that contains it; nil in hand-written text
	raw         []byte        // its current bullet
	at          place
	revision    markdown.Revision
	to          string          // the file to which it moves; empty: it stays
	form        string          // see normal
	old         bool            // it was last said before Input.Since
	byTool      bool            // an agent stored it through a tool, and no person has taken it over since
	byAgent     bool            // as byTool, but also by a tag in an agent's message of a run
	closed      bool            // facts that agents stored through tools cannot replace it: people and several runs make MEMORY.md
	merged      map[string]bool // its ids, once it has absorbed another fact
}

// remains reports whether the fact stays at its place.
func (f *fact) remains() bool { return f.revision != markdown.Goes }

// bullet returns the fact's bullet for another place.
func (f *fact) bullet() []byte { return markdown.MoveBullet(f.raw, f.standalone()) }

// change marks that the fact's bullet has to be rewritten.
func (f *fact) change() {
	if f.revision == markdown.Stays {
		f.revision = markdown.Changes
	}
}

// pinned reports whether a person pinned the fact, or the note that it is.
func (f *fact) pinned() bool { return f.Pinned() || f.in != nil && f.in.Pinned }

// firstSaid returns when the fact was first said, or zero if that is unknown.
func (f *fact) firstSaid() time.Time {
	switch {
	case !f.Created.IsZero():
		return f.Created
	case f.in != nil:
		return f.in.Time
	}
	if day, ok := memory.DayOf(f.file); ok {
		return day
	}
	return time.Time{}
}

// lastSaid returns when the fact was last said, including the facts that were merged into it.
func (f *fact) lastSaid() time.Time {
	last := f.firstSaid()
	if f.Updated.After(last) {
		last = f.Updated
	}
	for _, o := range f.Merged {
		if o.Created.After(last) {
			last = o.Created
		}
	}
	return last
}

// source returns the origin of the fact: its source, or else the agent's entry that contains
// it.
func (f *fact) source() string {
	if f.Source == "" && f.in != nil && f.in.Kind.ByAgent() {
		return f.in.ID
	}
	return f.Source
}

// owned returns the fact with the data of its entry that show its author.
func (f *fact) owned() memory.Fact {
	w := f.Fact
	if w.Source = f.source(); f.pinned() && !w.Pinned() {
		w.Tags = append(w.Tags[:len(w.Tags):len(w.Tags)], memory.PinnedTag)
	}
	return w
}

// standalone returns the fact with the fields that only its entry has, for a place without that
// entry.
func (f *fact) standalone() memory.Fact {
	w := f.owned().Apart()
	w.Created = f.firstSaid()
	if w.Commit == "" && f.in != nil {
		w.Commit = f.in.Base
	}
	return w.Normal()
}

// origin returns the part of the fact that stays in the fact into which it is merged.
func (f *fact) origin() memory.Origin {
	w := f.standalone()
	return memory.Origin{ID: w.ID, Source: w.Source, Commit: w.Commit, Created: w.Created}
}

// runs returns the number of runs that said the fact in their own words.
func (f *fact) runs() int {
	sources := map[string]bool{f.source(): true}
	for _, o := range f.Merged {
		sources[o.Source] = true
	}
	n := 0
	for source := range sources {
		if memory.IsID(source) {
			n++
		}
	}
	return n
}

func (f *fact) line() string { return oneLine(f.Whole()) }

func oneLine(s string) string {
	return memory.Head(strings.Join(strings.Fields(memory.Clean(s)), " "), maxLine)
}

const maxLine = 200

// weight returns the importance of a fact, 0 to 1.
func (f *fact) weight() float64 {
	if f.Importance == 0 {
		return memory.PlainImportance
	}
	return f.Importance
}

// age returns the time since the fact was last said, or 0 if that is unknown.
func (f *fact) age(now time.Time) time.Duration {
	sources := f.lastSaid()
	if sources.IsZero() || sources.After(now) {
		return 0
	}
	return now.Sub(sources)
}

func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}
