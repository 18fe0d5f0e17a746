// Package chunk cuts files of memory into the pieces that a search finds.
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
	"agentflow/memory/changeset"
	"agentflow/memory/internal/outline"
	"agentflow/memory/markdown"
	"agentflow/memory/trailer"
)

// Chunk is a piece of a document that is found as a unit: an entry, a part of an entry that is too
// long, or a section of hand-written text. File, entry and ordinal identify a chunk.
type Chunk struct {
	EntryID string      // id of the entry, or of a fact that was moved; empty for other hand-written text
	Source  string      // for a chunk that is one moved fact, the run whose entry held the fact before
	Kind    memory.Kind // empty for hand-written text
	Ordinal int         // counts from 0 within the entry, or within the file's hand-written text
	Heading string      // "2026-11-21 14:32 · Fix the login > Summary"
	// StartLine and EndLine are the lines of Text, 1-based and inclusive.
	StartLine, EndLine int
	Date               time.Time // zero for undated text
	// Commits, Branch and Paths are those of the entry, or those that a section of hand-written
	// text names. Ids may be abbreviated there.
	Commits []string
	Branch  string
	Paths   []string
	// Types and Tags are those of the entry's facts or, in hand-written text, those of its facts,
	// its section and its file's front matter. Categories are only those of the facts.
	Types      []memory.FactType
	Tags       []string
	Categories []string
	Importance float64 // the highest importance of those facts
	// Namespace is that of the fact, if the chunk is one fact. It is empty for text that applies to
	// the whole project.
	Namespace string
	Expires   time.Time // when the first of its facts expires; zero: never
	Undone    bool      // of a run that was undone
	Idle      bool      // of a run in which nothing happened: see Entry.Idle
	Pinned    bool      // in MEMORY.md, tagged "pinned", or a pinned entry; never text that agents wrote with the memory tool
	ByTool    bool      // agents stored all of its text through tools: its facts, or a file below notes/
	Person    string    // who stored all of its text through a team's server; empty: unknown
	// Title, Body and Files are the text to search: see Projection.
	Title, Body, Files string
	Text               string // as in the file, with blank lines for facts that are not in the chunk
}

const headingSep = " > "

// All cuts a document for the index. file is its path, '/' separated. A day in its name dates
// hand-written text unless a heading does. An entry of at most maxTokens is one chunk. A longer
// text is cut at headings, else paragraphs, lines, sentences, words, with up to overlap tokens
// repeated, and never inside a code fence: a longer fence is one chunk. A table that fits is not
// cut either. A longer one is cut between rows.
//
// Hand-written text is in no chunk if it has no letters or digits outside of
// headings that are dates. Front matter is in no chunk either, and HTML
// comments are not searched. The properties that a section states ("- tags: x",
// "**Commit**: abc1234", type, branch, files, paths in inline code) apply to
// its chunks, but not to the sections below it. The properties in front matter
// apply to all hand-written text.
//
// Facts that do not hold at now are in no chunk. A fact of a namespace other than the project's,
// and one that was moved out of a run's entry, is only in a separate chunk.
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

// inNotes reports whether a file is one that agents write with the memory tool.
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

	// For the current block:
	block *markdown.Block
	first bool // it begins the file
	whole outline.Lines
	l     outline.Lines          // whole, with blank lines for the facts that are not in facts
	facts []markdown.FactAt      // the facts in l
	apart []markdown.FactAt      // facts that get separate chunks, and have none yet
	notes func() []markdown.Note // of hand-written text
	head  noteHead
	o     outline.Outline
	out   []Chunk
}

// add completes a chunk with its text and lines. It drops a blank one.
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
	if inNotes(file) { // the tags are an agent's claim about its text
		k.Pinned, k.Tags = false, slices.DeleteFunc(k.Tags, func(tag string) bool { return tag == memory.PinnedTag })
	}
}

// Projection returns the part of an entry that the index searches: its title; the task, answers and
// facts; and the paths it names. Labels, comments and "None" are not searched.
func Projection(e memory.Entry) (title, body, files string) {
	task := e.Task
	if e.Kind == memory.KindCommit {
		task = trailer.Strip(task)
	}
	text := append([]string{task, e.Summary}, e.Then...)
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

// paths returns all paths that the entry names, each once, in order.
func paths(e memory.Entry) []string {
	var list []string
	seen := map[string]bool{}
	for _, l := range []changeset.List{e.Changes, e.Uncommitted, e.Meanwhile, e.Elsewhere} {
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

// joinText joins texts with newlines, without the empty ones.
func joinText(parts []string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "\n")
}

// span is a range of bytes of a block.
type span struct{ from, to int }

// lineOf returns the line that holds the byte at offset.
func lineOf(l outline.Lines, offset int) int {
	return sort.Search(l.Count(), func(i int) bool { return l.Start[i+1] > offset })
}

// trim removes blank lines and trailing blanks from both ends of a span, but keeps the first line's
// indentation.
func trim(l outline.Lines, s span) span {
	text := strings.TrimRight(l.Src[s.from:s.to], " \t\r\n")
	s.to = s.from + len(text)
	lead := len(text) - len(strings.TrimLeft(text, " \t\r\n"))
	s.from += strings.LastIndexByte(text[:lead], '\n') + 1
	return s
}
