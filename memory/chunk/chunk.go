// Package chunk cuts files of memory into the pieces that the index finds.
package chunk

import (
	"iter"
	"path"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"agentflow/memory"
	"agentflow/memory/internal/outline"
	"agentflow/memory/markdown"
)

// Chunk is a piece of a document that is found as one: an entry, or a part of
// one too long, or a section of hand-written text. A chunk is known by file,
// entry and ordinal.
type Chunk struct {
	EntryID string      // of the fact, for one that was moved; empty for other hand-written text
	Source  string      // run in whose entry the one fact the chunk is stood before it was moved
	Kind    memory.Kind // empty for hand-written text
	Ordinal int         // counts from 0 within the entry, or within the file's hand-written text
	Heading string      // "2026-11-21 14:32 · Fix the login > Summary"
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
	// its section and of its file's front matter; Categories of the facts alone.
	Types      []memory.FactType
	Tags       []string
	Categories []string
	Importance float64 // the highest of those facts
	// Namespace is that of the one fact that the chunk is; empty for text that
	// holds in the whole project.
	Namespace string
	Expires   time.Time // when the first of its facts is true no longer; zero: never
	Undone    bool      // of a run that was taken back
	Idle      bool      // of a run in which nothing happened: see Entry.Idle
	Pinned    bool      // in MEMORY.md, tagged "pinned", or an entry that is; never what agents wrote with the memory tool
	ByTool    bool      // agents stored all that it says through tools: its facts, or a file below notes/
	Person    string    // who stored all that it says through a team's server; empty: it is not known
	// Title, Body and Files are the text that is searched: see Projection.
	Title, Body, Files string
	Text               string // as it stands in the file, lines of facts that are not in it blank
}

const headingSep = " > "

// All cuts a document for the index. file is its path, '/' separated; a day in
// its name dates hand-written text unless a heading does. An entry of at most maxTokens
// is one chunk. A longer text is cut at headings, else paragraphs, lines,
// sentences, words, with up to overlap tokens repeated, and never inside a code
// fence: a longer fence is a chunk of its own size. A table that fits is not
// cut either, a longer one between rows.
//
// Hand-written text is in no chunk if it has no letters or digits outside of
// headings that are dates. Front matter is in no chunk either, and HTML
// comments are not searched. The properties that a section states ("- tags: x",
// "**Commit**: abc1234", type, branch, files, paths in inline code) apply to
// its chunks, but not to the sections below it. The properties in front matter
// apply to all hand-written text.
//
// Facts that no longer hold at now are in no chunk. A fact of another namespace
// than the project's is only in a chunk of its own, and so is one that was
// moved out of a run's entry.
func All(file string, d *markdown.Document, maxTokens, overlap int, now time.Time) iter.Seq[Chunk] {
	return func(yield func(Chunk) bool) {
		c := chunker{file: file, max: max(maxTokens, 1), overlap: max(overlap, 0), now: now, reader: outline.NewReader(file)}
		for i := range d.Blocks {
			c.block, c.first, c.head = &d.Blocks[i], i == 0, noteHead{note: -1}
			c.notes = sync.OnceValue(func() []markdown.Note { return d.Blocks[i].Notes(i == 0) })
			c.sortFacts()
			if c.block.Entry != nil {
				c.entry()
			} else {
				c.text()
			}
			for _, k := range c.out {
				k.ByTool = k.ByTool || inNotes(file)
				if !yield(k) {
					return
				}
			}
			c.out = c.out[:0]
		}
	}
}

// inNotes says whether a file is one that agents write with the memory tool.
func inNotes(file string) bool {
	rel, ok := strings.CutPrefix(file, "memory/")
	return ok && memory.InNotes(rel)
}

// chunker cuts one file.
type chunker struct {
	file         string
	max, overlap int
	now          time.Time
	reader       outline.Reader
	texts        int // chunks of hand-written text so far

	// Of the current block:
	block *markdown.Block
	first bool // it begins the file
	whole outline.Lines
	l     outline.Lines          // whole, with the lines of other facts than these blank
	facts []markdown.FactAt      // the facts in l
	apart []markdown.FactAt      // facts that get chunks of their own, and have none yet
	notes func() []markdown.Note // of hand-written text
	head  noteHead
	o     outline.Outline
	out   []Chunk
}

// add completes a chunk with its text and lines; blank ones are left out.
func (c *chunker) add(k Chunk, s span) bool {
	s = trim(c.l, s)
	if s.from == s.to {
		return false
	}
	k.Text = c.l.Src[s.from:s.to]
	k.StartLine = c.block.StartLine + lineOf(c.l, s.from)
	k.EndLine = c.block.StartLine + lineOf(c.l, s.to-1)
	c.out = append(c.out, k)
	return true
}

// takeFacts adds the properties of facts to the chunk.
func (k *Chunk) takeFacts(facts []markdown.FactAt, file string) {
	k.Pinned = path.Base(file) == memory.LastingFile
	for _, f := range facts {
		if f.Type != "" && !slices.Contains(k.Types, f.Type) {
			k.Types = append(k.Types, f.Type)
		}
		for _, t := range f.Tags {
			if !slices.Contains(k.Tags, t) {
				k.Tags = append(k.Tags, t)
			}
		}
		if f.Category != "" && !slices.Contains(k.Categories, f.Category) {
			k.Categories = append(k.Categories, f.Category)
		}
		k.Importance = max(k.Importance, f.Importance)
		if !f.Expires.IsZero() && (k.Expires.IsZero() || f.Expires.Before(k.Expires)) {
			k.Expires = f.Expires
		}
	}
	k.Pinned = k.Pinned || slices.Contains(k.Tags, memory.PinnedTag)
	if inNotes(file) { // an agent says so, of its own text
		k.Pinned, k.Tags = false, slices.DeleteFunc(k.Tags, func(tag string) bool { return tag == memory.PinnedTag })
	}
}

// Projection is the part of an entry that the index searches: its title; what
// was asked, answered and learned; and the paths it names. Labels, comments and
// "None" are not searched.
func Projection(e memory.Entry) (title, body, files string) {
	text := append([]string{e.Task, e.Summary}, e.Then...)
	for _, c := range slices.Concat(e.Commits, e.PossibleCommits) {
		text = append(text, c.Subject)
	}
	text = append(text, e.Errors...)
	text = append(text, e.Denials...)
	for _, f := range e.Facts {
		text = append(text, f.Text)
	}
	text = append(text, e.Extra)
	return e.Title, joinText(text), strings.Join(paths(e), "\n")
}

// paths are all paths the entry names, each once, in order.
func paths(e memory.Entry) []string {
	var list []string
	seen := map[string]bool{}
	for _, l := range []memory.ChangeList{e.Changes, e.Uncommitted, e.Meanwhile, e.Elsewhere} {
		for _, c := range l.Items {
			for _, p := range []string{c.Path, c.OldPath} {
				if p != "" && !seen[p] {
					seen[p] = true
					list = append(list, p)
				}
			}
		}
	}
	return list
}

// joinText puts texts on lines of their own, empty ones left out.
func joinText(parts []string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "\n")
}

// span is a range of bytes of a block.
type span struct{ from, to int }

// lineOf is the line that holds the byte at offset.
func lineOf(l outline.Lines, offset int) int {
	return sort.Search(l.Count(), func(i int) bool { return l.Start[i+1] > offset })
}

// trim takes blank lines and trailing blanks off both ends of a span, but
// keeps the first line's indentation.
func trim(l outline.Lines, s span) span {
	text := strings.TrimRight(l.Src[s.from:s.to], " \t\r\n")
	s.to = s.from + len(text)
	lead := len(text) - len(strings.TrimLeft(text, " \t\r\n"))
	s.from += strings.LastIndexByte(text[:lead], '\n') + 1
	return s
}
