package memory

import (
	"iter"
	"path"
	"slices"
	"sort"
	"strings"
	"time"
)

// Chunk is a piece of a document that is found as one: an entry, or a part of
// one too long, or a section of hand-written text. A chunk is known by file,
// entry and ordinal.
type Chunk struct {
	EntryID string // of the fact, for one that was moved; empty for other hand-written text
	Source  string // run in whose entry the one fact the chunk is stood before it was moved
	Kind    Kind   // empty for hand-written text
	Ordinal int    // counts from 0 within the entry, or within the file's hand-written text
	Heading string // "2026-11-21 14:32 · Fix the login > Summary"
	// StartLine and EndLine are the lines that Text lies on, 1-based and
	// inclusive.
	StartLine, EndLine int
	Date               time.Time // zero for undated text
	// Commits, Branch and Paths are the entry's, or what a section of
	// hand-written text names: ids may be abbreviated there.
	Commits []string
	Branch  string
	Paths   []string
	// Types and Tags are of the entry's facts, or of those in this text, of
	// its section and of its file's front matter.
	Types      []FactType
	Tags       []string
	Importance float64 // the highest of those facts
	// Namespace is that of the one fact the chunk is; empty for what holds in
	// the whole project.
	Namespace string
	Expires   time.Time // when the first of its facts is true no longer; zero: never
	Undone    bool      // of a run that was taken back
	Idle      bool      // of a run that ended before it did anything: see Entry.Idle
	Pinned    bool      // in MEMORY.md, tagged "pinned", or an entry that is
	// Title, Body and Files are what is searched: see Projection.
	Title, Body, Files string
	Text               string // as it stands in the file, lines of facts that are not in it blank
}

const (
	pinnedTag  = "pinned"
	headingSep = " > "
)

// Chunks cuts a document for the index. path is the file's, '/' separated;
// its name dates hand-written text unless a heading does. An entry of at most
// maxTokens is one chunk. What is longer is cut at headings, else paragraphs,
// lines, sentences, words, with up to overlap tokens repeated, and never
// inside a code fence: a longer fence is a chunk of its own size. A table that
// fits is not cut either, a longer one between rows.
//
// Hand-written text of which only headings that are dates have letters or
// digits is in no chunk, nor is front matter, and HTML comments are not
// searched. What a section says of itself ("- tags: x", "**Commit**: abc1234",
// type, branch, files, paths in inline code) is known of its chunks, but not
// of the sections below it; what front matter says, of all hand-written text.
//
// Facts that hold no longer at now are in no chunk. One of another namespace
// than the project's is in one of its own only, and so is one that was moved
// out of a run's entry.
//
// A chunk is yielded when it is cut: those of a file are never held together.
func Chunks(file string, d *Document, maxTokens, overlap int, now time.Time) iter.Seq[Chunk] {
	return func(yield func(Chunk) bool) {
		c := chunker{file: file, max: max(maxTokens, 1), overlap: max(overlap, 0), now: now}
		for i := range d.Blocks {
			c.block = &d.Blocks[i]
			c.begins = i == 0
			c.sift()
			if c.block.Entry != nil {
				c.entry()
			} else {
				c.text()
			}
			for _, k := range c.out {
				if !yield(k) {
					return
				}
			}
			c.out = c.out[:0]
		}
	}
}

// chunker cuts one file.
type chunker struct {
	file         string
	max, overlap int
	now          time.Time
	front        front
	texts        int  // chunks of hand-written text so far
	begins       bool // the current block is the first
	path         []pathHeading
	out          []Chunk // of the current block

	block *Block
	whole lines     // of the block
	l     lines     // the same as sift leaves them: some blank
	facts []FactAt  // that stand in them
	apart []ownFact // that get chunks of their own, and have none yet
	o     outline
}

// entry adds the chunks of the current block's entry.
func (c *chunker) entry() {
	e := *c.block.Entry
	if len(c.facts) < len(c.block.Facts) {
		e.Facts = nil
		for _, f := range c.facts {
			e.Facts = append(e.Facts, f.Fact)
		}
	}
	base := Chunk{
		EntryID: e.ID, Kind: e.Kind, Date: e.Time, Branch: e.Branch, Paths: e.paths(), Title: e.Title, Undone: e.IsUndone(), Idle: e.Idle(),
	}
	for _, k := range e.Commits {
		base.Commits = append(base.Commits, k.ID)
	}
	base.Heading = e.heading()
	like := base
	base.know(c.facts, c.file)
	base.Pinned = base.Pinned || e.Pinned
	c.own(like, c.entryText(e, base), c.block.EndLine+1)
}

// entryText adds the chunks of the entry's text, and returns how many.
func (c *chunker) entryText(e Entry, base Chunk) int {
	if Tokens(c.l.src) <= c.max {
		base.Title, base.Body, base.Files = Projection(e)
		if base.Title+base.Body+base.Files == "" && len(c.facts) < len(c.block.Facts) {
			return 0 // it said nothing but facts that are not in it
		}
		c.add(base, span{0, len(c.l.src)})
		return 1
	}
	h := head{}
	for i := range c.l.count() {
		if _, ok := entryComment(c.l.at(i)); ok {
			h.comment = i
			break
		}
	}
	items := readItems(c.l, h, c.l.count())
	c.o = outlineOf(c.l, 0, c.l.count(), textPlace{entry: true})
	ordinal := 0
	for _, s := range c.spans(0, c.l.count()) {
		k := base
		var section string
		k.Body, k.Files, section = c.project(items, s)
		if section != "" {
			k.Heading += headingSep + section
		}
		k.Ordinal = ordinal
		if c.add(k, s) {
			ordinal++
		}
	}
	return ordinal
}

// heading is the entry's heading as people read it.
func (e *Entry) heading() string {
	when := e.Time.Format(headingTime)
	if e.Title == "" {
		return when
	}
	return when + headingMiddle + e.Title
}

// project is what a part of an entry says: text, paths, and the section it
// begins in.
func (c *chunker) project(items []item, s span) (body, files, section string) {
	first, last := c.l.lineOf(s.from), c.l.lineOf(s.to-1)
	var text, paths []string
	i := sort.Search(len(items), func(i int) bool { return items[i].end > first })
	for n := i; n < len(items) && items[n].start <= last; n++ {
		it := items[n]
		if n == i {
			section = it.section
		}
		if it.kind == itemChange {
			if k, ok := ParseChange(it.value); ok {
				paths = append(paths, k.Path)
				if k.OldPath != "" {
					paths = append(paths, k.OldPath)
				}
			}
			continue
		}
		if it.searched() {
			text = append(text, c.within(it, s))
		}
	}
	return joinText(text), strings.Join(paths, "\n"), section
}

// searched reports whether the index takes what the item says.
func (it item) searched() bool {
	switch it.kind {
	case itemTask, itemSubject, itemSummary, itemError, itemDenied, itemFact, itemExtra:
		return true
	}
	return false
}

// within is the part of an item's value that lies in the span.
func (c *chunker) within(it item, s span) string {
	if s.from <= c.l.start[it.start] && c.l.start[it.end] <= s.to {
		if it.kind == itemFact {
			return it.fact.Text
		}
		return it.value
	}
	var parts []string
	for i := it.start; i < it.end; i++ {
		from, to := max(s.from, c.l.start[i]), min(s.to, c.l.start[i+1])
		if from >= to {
			continue
		}
		line := c.l.src[from:to]
		if from == c.l.start[i] {
			line = withoutLabel(line)
		}
		line = strings.TrimSpace(line)
		if text, _, ok := trailingComment(line); ok {
			line = text
		}
		parts = append(parts, unescape(line))
	}
	return joinText(parts)
}

// withoutLabel takes what Format puts before a value off its first line.
func withoutLabel(line string) string {
	line = strings.TrimPrefix(line, "- ")
	for _, label := range []string{labelTask, labelDenied} {
		line = strings.TrimPrefix(line, label)
	}
	return line
}

// know takes over what facts say of themselves.
func (k *Chunk) know(facts []FactAt, file string) {
	k.Pinned = path.Base(file) == LastingFile
	for _, f := range facts {
		if f.Type != "" && !slices.Contains(k.Types, f.Type) {
			k.Types = append(k.Types, f.Type)
		}
		for _, t := range f.Tags {
			if !slices.Contains(k.Tags, t) {
				k.Tags = append(k.Tags, t)
			}
		}
		k.Importance = max(k.Importance, f.Importance)
		if !f.Expires.IsZero() && (k.Expires.IsZero() || f.Expires.Before(k.Expires)) {
			k.Expires = f.Expires
		}
	}
	k.Pinned = k.Pinned || slices.Contains(k.Tags, pinnedTag)
}

// add completes a chunk with its text and lines; blank ones are left out.
func (c *chunker) add(k Chunk, s span) bool {
	s = c.l.trim(s)
	if s.from == s.to {
		return false
	}
	k.Text = c.l.src[s.from:s.to]
	k.StartLine = c.block.StartLine + c.l.lineOf(s.from)
	k.EndLine = c.block.StartLine + c.l.lineOf(s.to-1)
	c.out = append(c.out, k)
	return true
}
