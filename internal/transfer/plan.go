package transfer

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"agentflow/internal/words"
	"agentflow/memory"
	"agentflow/memory/markdown"
)

// maxText bounds the text of a fact, in bytes. A longer one is a mistake, such as a file on one
// line.
const maxText = 64 << 10

// Options control how a plan is made.
type Options struct {
	// Barred reports whether an id, or a memory.TextID, was forgotten or removed by hand. Nil means
	// that nothing was.
	Barred    func(id string) bool
	Namespace string    // for facts that name none
	Now       time.Time // creation time for facts without a date
}

// Report lists what a plan adds, and what it leaves out.
type Report struct {
	Added     []Added   `json:"added"`
	Standing  int       `json:"standing"`  // have an id that is in memory
	Same      int       `json:"same"`      // have the text of a fact in memory
	Forgotten int       `json:"forgotten"` // were forgotten, or removed by hand
	Problems  []Problem `json:"problems"`
}

// Added is an entry, a fact or a piece of text that is to be added.
type Added struct {
	ID   string `json:"id"`   // its id; empty for a text and a file
	Kind string `json:"kind"` // that of the JSON Lines: fact, run, session, commit, note, entry, block or file; or text
	File string `json:"file"` // where it stands, relative to the memory folder
	Text string `json:"text"` // an entry's title, or a fact's text

	Heading string `json:"heading,omitempty"` // under which a text stands; absent where there is none
}

// Plan plans how to add the items to memory. It returns edits of the memory files, which only add
// text, and a report. files holds all memory files. The same arguments give the same plan, and once
// a plan is carried out, planning again returns no edits.
func Plan(files map[string][]byte, items []Item, o Options) ([]memory.FileEdit, Report) {
	p := planner{files: files, o: o, ids: map[string]place{}, texts: map[string]bool{}, added: map[string][][]byte{}, below: map[string]map[string][][]byte{}, heads: map[string]string{}, wholes: map[string][]byte{},
		report: Report{Added: []Added{}, Problems: []Problem{}}}
	if p.o.Barred == nil {
		p.o.Barred = func(string) bool { return false }
	}
	p.readMemory()
	for _, it := range items {
		p.at = place{file: it.File, line: it.Line}
		switch {
		case it.Whole != nil:
			p.file(it)
		case it.Entry != nil:
			p.entry(it)
		case it.Plain:
			p.plain(it)
		default:
			p.looseFact(it)
		}
	}
	return p.edits(), p.report
}

// place is where an item was read, and its text. The zero place is memory itself.
type place struct {
	file string
	line int
	says string
}

type planner struct {
	files  map[string][]byte
	o      Options
	ids    map[string]place // every known id, and where it was read
	texts  map[string]bool  // the textKeys of the facts in memory, and of items without an id
	at     place            // of the current item
	added  map[string][][]byte
	below  map[string]map[string][][]byte // bullets added to each file, by heading
	heads  map[string]string              // the last heading added to each file
	wholes map[string][]byte              // files that are added whole
	report Report
}

// readMemory records the ids and facts of memory.
func (p *planner) readMemory() {
	for name, content := range p.files {
		p.readFile(name, content)
	}
}

func (p *planner) readFile(name string, content []byte) {
	d := markdown.Parse(content)
	for _, id := range d.IDs() {
		p.ids[id] = place{}
	}
	for _, b := range d.Blocks {
		for _, f := range b.Facts {
			p.texts[textKey(f.Namespace, f.Whole())] = true
		}
	}
	for _, n := range d.Notes(name) {
		if n.Fact == nil {
			p.texts[textKey(memory.ProjectNamespace, n.AsFact().Whole())] = true
		}
	}
}

func textKey(namespace, text string) string {
	return memory.NamespaceOf(namespace) + "\x00" + words.SameText(text)
}

func (p *planner) problem(format string, args ...any) {
	p.report.Problems = append(p.report.Problems, Problem{p.at.file, p.at.line, fmt.Sprintf(format, args...)})
}

// entry adds an entry to the file of its day.
func (p *planner) entry(it Item) {
	e := it.Entry.Normal()
	given := e.ID
	if e.ID = p.checked(e.ID); e.ID == "" {
		e.ID = memory.HashID("entry", string(markdown.Format(e)))
	}
	p.at.says = string(markdown.Format(e))
	switch {
	case e.Time.IsZero():
		p.problem("left out: an entry without a time")
		return
	case p.stands(e.ID):
		return
	case p.o.Barred(e.ID):
		p.report.Forgotten++
		return
	}
	raw := it.Raw
	if given != e.ID {
		raw = nil
	}
	entryAt := p.at
	var facts []memory.Fact
	for _, f := range e.Facts {
		kept, ok := p.fact(f, f.ID != "", time.Time{})
		if ok {
			facts = append(facts, kept)
		}
		if !ok || markdown.FormatFact(kept) != markdown.FormatFact(f) {
			raw = withFact(raw, f.ID, kept, ok)
		}
	}
	p.at = entryAt
	if e.Kind == memory.KindNote && len(facts) == 0 && len(e.Facts) > 0 {
		return // the note held nothing but its facts
	}
	e.Facts = facts
	if raw == nil {
		raw = markdown.FormatV2(e)
	}
	title := e.Title
	if title == "" && len(facts) > 0 {
		title = memory.Title(facts[0].Text)
	}
	p.add(p.fileOf(e.Time), raw, Added{ID: e.ID, Kind: entryKind(e.Kind), Text: title})
}

// withFact returns the text of an entry in which the fact with this id is replaced by kept or, if
// ok is false, removed. It returns nil if the entry must be formatted again.
func withFact(raw []byte, id string, kept memory.Fact, ok bool) (text []byte) {
	switch {
	case raw == nil || id == "":
		return nil
	case ok:
		text, _ = markdown.Parse(raw).Replace(id, kept)
	default:
		text, _, _ = markdown.Parse(raw).Remove(id)
	}
	return text
}

// looseFact adds a fact that belongs to no entry: to MEMORY.md, to the archive of faded facts, or
// as a note of its day.
func (p *planner) looseFact(it Item) {
	f := it.Fact
	if f.ID == "" && f.Created.IsZero() {
		f.Created = p.o.Now
	}
	f, ok := p.fact(f, true, it.Day)
	if !ok {
		return
	}
	if it.Day.IsZero() {
		file := memory.LastingFile
		if it.Faded {
			file = memory.FadedFile
		}
		p.addBelow(heading(f), file, []byte(markdown.FormatFact(f)), Added{ID: f.ID, Kind: kindFact, Text: f.Text})
		return
	}
	note := memory.Entry{ID: memory.HashID("note", f.ID), Kind: memory.KindNote, Time: it.Day, Facts: []memory.Fact{f}}
	if f.Created.Format(time.DateOnly) == it.Day.Format(time.DateOnly) {
		note.Time = f.Created
	}
	if p.o.Barred(note.ID) {
		p.report.Forgotten++
		return
	}
	p.ids[note.ID] = p.at
	p.add(p.fileOf(note.Time), markdown.FormatV2(note), Added{ID: f.ID, Kind: kindFact, Text: f.Text})
}

// fact decides whether to add a fact, and returns it as it will be written. If it needs an id and
// has none, it gets one computed from its text and day.
func (p *planner) fact(f memory.Fact, needsID bool, day time.Time) (memory.Fact, bool) {
	if f.Namespace == memory.ProjectNamespace {
		f.Namespace = p.o.Namespace
	}
	switch {
	case f.ID == "" && strings.TrimSpace(memory.Clean(f.Text)) == "":
		p.problem("left out: a fact without text")
		return f, false
	case len(f.Text) > maxText:
		p.problem("left out: %d KB of text are no fact", len(f.Text)>>10)
		return f, false
	}
	bare := f.Text
	f.ID = p.checked(f.ID)
	given := f.ID != ""
	if !given || !needsID || !day.IsZero() {
		f = f.Apart() // otherwise it gets its former headings
	}
	if !given && needsID {
		date := ""
		if !day.IsZero() {
			date = day.Format(time.DateOnly)
		}
		f.ID = memory.HashID("fact", f.Namespace, words.SameText(f.Text), date)
	}
	key := textKey(f.Namespace, f.Whole())
	p.at.says = key
	switch {
	case f.ID != "" && p.stands(f.ID):
		return f, false
	case f.ID != "" && p.o.Barred(f.ID), p.o.Barred(memory.TextID(f.Whole())), p.o.Barred(memory.TextID(bare)):
		p.report.Forgotten++
		return f, false
	case p.texts[key]:
		p.report.Same++
		return f, false
	}
	f.Merged = p.free(f.Merged)
	if needsID && !given {
		p.texts[key] = true
	}
	for _, id := range f.IDs() {
		p.ids[id] = p.at
	}
	return f, true
}

// free returns the merged facts whose ids are valid, not in use and not forgotten.
func (p *planner) free(merged []memory.Origin) []memory.Origin {
	var out []memory.Origin
	for _, o := range merged {
		if _, stands := p.ids[o.ID]; !stands && !p.o.Barred(o.ID) && validID(o.ID) {
			out = append(out, o)
		}
	}
	return out
}

// stands reports whether an id is already in use. It counts the id in the report, or reports a
// problem if two items with different texts have it.
func (p *planner) stands(id string) bool {
	at, ok := p.ids[id]
	if !ok {
		return false
	}
	if at.file != "" && at.says != p.at.says {
		p.problem("left out: id %s is that of %s:%d too", memory.Clean(id), at.file, at.line)
	} else {
		p.report.Standing++
	}
	return true
}

// add appends text to a file.
func (p *planner) add(file string, text []byte, a Added) {
	if a.Kind != kindFact && !markdown.IsNote(text) && !bytes.HasSuffix(text, []byte("\n\n")) {
		text = append(bytes.TrimRight(text, "\r\n"), "\n\n"...)
	}
	p.added[file] = append(p.added[file], text)
	p.tell(file, a)
}

func (p *planner) tell(file string, a Added) {
	p.ids[a.ID] = p.at
	a.File = file
	p.report.Added = append(p.report.Added, a)
}

// addBelow appends a bullet to a file, below a heading if one is given.
func (p *planner) addBelow(head, file string, bullet []byte, a Added) {
	if head == "" {
		p.add(file, bullet, a)
		return
	}
	if p.below[file] == nil {
		p.below[file] = map[string][][]byte{}
	}
	p.below[file][head] = append(p.below[file][head], bullet)
	p.tell(file, a)
}

// checked returns id, or "" if it is not valid.
func (p *planner) checked(id string) string {
	if id == "" || validID(id) {
		return id
	}
	p.problem("%s is no id: it gets another", memory.Head(fmt.Sprintf("%q", id), 60))
	return ""
}

// validID reports whether an id can be typed and found: 4 to 64 letters, digits, '-' and '_'.
func validID(id string) bool {
	return len(id) >= 4 && len(id) <= 64 &&
		strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") == ""
}
