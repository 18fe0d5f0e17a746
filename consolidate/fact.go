package consolidate

import (
	"cmp"
	"strings"
	"time"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// fact is a fact where it stands, and the decisions about it.
type fact struct {
	memory.Fact // as it is to be
	file        string
	in          *memory.Entry // that it stands in; nil in hand-written text
	raw         []byte        // its bullet as it stands
	at          place
	revision    markdown.Revision
	to          string          // the file it moves to; empty: it does not
	form        string          // see normal
	old         bool            // it was last said before Input.Since
	byTool      bool            // an agent stored it through a tool, and no person took it over since
	byAgent     bool            // as byTool, but also by a tag in what an agent of a run said
	closed      bool            // what an agent stored so does not take its place: MEMORY.md is what people and several runs made it
	merged      map[string]bool // its ids, once it absorbed another
}

// stands says whether the fact is where it was.
func (f *fact) stands() bool { return f.revision != markdown.Goes }

// bullet is the fact as it is to stand in another place.
func (f *fact) bullet() []byte { return markdown.MoveBullet(f.raw, f.standalone()) }

// change marks that the fact's bullet is to be written anew.
func (f *fact) change() {
	if f.revision == markdown.Stays {
		f.revision = markdown.Changes
	}
}

// pinned says whether a person pinned the fact, or the note it is.
func (f *fact) pinned() bool { return f.Pinned() || f.in != nil && f.in.Pinned }

// firstSaid is when the fact was first said; zero where nobody knows.
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

// lastSaid is when the fact was last said, also in the words of those that were
// merged into it.
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

// source is where the fact came from.
func (f *fact) source() string {
	if f.Source == "" && f.in != nil && f.in.Kind.ByAgent() {
		return f.in.ID
	}
	return f.Source
}

// owned is the fact with what its entry tells of whose it is.
func (f *fact) owned() memory.Fact {
	w := f.Fact
	if w.Source = f.source(); f.pinned() && !w.Pinned() {
		w.Tags = append(w.Tags[:len(w.Tags):len(w.Tags)], memory.PinnedTag)
	}
	return w
}

// standalone is the fact with the fields that only its entry tells, for a place
// without that entry.
func (f *fact) standalone() memory.Fact {
	w := f.owned().Apart()
	w.Created = f.firstSaid()
	if w.Commit == "" && f.in != nil {
		w.Commit = f.in.Base
	}
	return w.Normal()
}

// origin is what stays of the fact in the one it is merged into.
func (f *fact) origin() memory.Origin {
	w := f.standalone()
	return memory.Origin{ID: w.ID, Source: w.Source, Commit: w.Commit, Created: w.Created}
}

// runs is how many runs said the fact in their own words.
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

// lasting is how long a fact of importance 1 that nobody says again stays in
// MEMORY.md; one of 0.8 stays a year.
const lasting = 450 * 24 * time.Hour

// weight is how important a fact is, 0 to 1.
func (f *fact) weight() float64 {
	if f.Importance == 0 {
		return memory.PlainImportance
	}
	return f.Importance
}

// age is how long ago the fact was last said; 0 where nobody knows.
func (f *fact) age(now time.Time) time.Duration {
	sources := f.lastSaid()
	if sources.IsZero() || sources.After(now) {
		return 0
	}
	return now.Sub(sources)
}

// timeLeft is how much longer the fact deserves its place in MEMORY.md: none when
// it is 0 or less. It does not depend on where the fact stands, so that what
// is moved once is not moved back.
func (p *plan) timeLeft(f *fact) time.Duration {
	if !f.Live(p.Now) {
		return -lasting - f.age(p.Now)
	}
	weight := f.weight()
	if p.often(f) {
		weight = max(weight, p.PromoteImportance)
	}
	return time.Duration(weight*float64(lasting)) - f.age(p.Now)
}

// often says whether enough runs said the fact in their own words. Of what an
// agent said, one run is never enough.
func (p *plan) often(f *fact) bool {
	least := p.PromoteRuns
	if f.byAgent {
		least = max(least, 2)
	}
	return p.PromoteRuns > 0 && f.runs() >= least
}

// important says whether the fact is worth a place in MEMORY.md by itself: one
// that an agent said is not, however important it calls it, as a page that it read
// may have made it.
func (p *plan) important(f *fact) bool {
	return p.PromoteImportance > 0 && f.Importance >= p.PromoteImportance && !f.byAgent
}

// rank orders facts from the one with the most time left to that with the
// least.
func (p *plan) rank(a, b *fact) int {
	return cmp.Or(cmp.Compare(p.timeLeft(b), p.timeLeft(a)), strings.Compare(a.ID, b.ID))
}
