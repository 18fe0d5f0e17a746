package transfer

import (
	"bytes"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"agentflow/internal/parallel"
	"agentflow/memory"
	"agentflow/memory/markdown"
)

// Filter selects what to export. Zero values do not filter. An entry passes Type, Tags and
// Namespace if any of its facts does.
type Filter struct {
	Since, Until time.Time // Since inclusive, Until exclusive; an item without a date passes neither
	Type         memory.FactType
	Tags         []string // a fact has each of them
	Namespace    *string  // may be memory.ProjectNamespace; nil: all
	FactsOnly    bool     // each fact separately, those of entries too
}

// Formats names the formats that Export writes.
var Formats = []string{"jsonl", "markdown"}

// Files lists the Markdown files of a memory folder. Export reads each when it gets to it.
type Files struct {
	Names []string                          // in the folder
	Read  func(name string) ([]byte, error) // may be called by several goroutines
}

// Export writes the part of the files that passes the filter, in one of Formats, and returns the
// number of entries and facts written. It does not export judgements. Facts of entries count only
// with FactsOnly. Only a few files are in memory at once. Errors are those of w and of Files.
func Export(w io.Writer, files Files, format string, f Filter) (n int, err error) {
	x := exporter{filter: f, lines: format != "markdown", blank: true}
	for p := range parallel.Map(order(files.Names), func(name string) parsed { return x.parse(files, name) }) {
		if p.err != nil {
			return n, p.err
		}
		for _, piece := range p.pieces {
			if !x.lines {
				piece.text = x.markdown(piece)
			}
			if _, err := w.Write(piece.text); err != nil {
				return n, fmt.Errorf("writing the export: %w", err)
			}
			if piece.whole == nil {
				n++
			}
		}
	}
	return n, nil
}

// parsed is the result of reading one file.
type parsed struct {
	pieces []piece
	err    error
}

func (x *exporter) parse(files Files, name string) parsed {
	if name == memory.FeedbackFile {
		return parsed{}
	}
	text, err := files.Read(name)
	if err != nil {
		return parsed{err: err}
	}
	p := parsed{pieces: x.pieces(name, markdown.Parse(text))}
	faded := !x.lines && name == memory.FadedFile // Markdown has no other sign of a faded fact
	if x.filter.none() && mayBeWhole(name, text) && (faded || isMore(name, text)) {
		p.pieces = slices.Insert(p.pieces, 0, piece{file: name, whole: text})
	}
	for i := range p.pieces {
		if x.lines && p.err == nil {
			p.pieces[i].text, p.err = p.pieces[i].line()
		}
	}
	return p
}

// order sorts MEMORY.md first, then files without a date in their names, then the others by date.
func order(names []string) []string {
	key := func(name string) string {
		base := path.Base(name)
		switch {
		case name == memory.LastingFile:
			return "0"
		case base[0] < '0' || base[0] > '9':
			return "1" + name
		}
		return "2" + base
	}
	return slices.SortedFunc(slices.Values(names), func(a, b string) int { return strings.Compare(key(a)+"\x00"+a, key(b)+"\x00"+b) })
}

type exporter struct {
	filter Filter
	lines  bool // JSON Lines; else Markdown

	// For Markdown: the current headings, and whether a bullet or a blank line was written last.
	head          string
	bullet, blank bool
	inside        string // the file that was written whole
}

// piece is one entry, or one fact with the day it belongs to.
type piece struct {
	file  string
	whole []byte          // the whole file; comes before its pieces
	block *markdown.Block // of an entry
	fact  memory.Fact
	raw   []byte // of a fact, as in its file
	day   time.Time
	text  []byte // as it is written to the export
}

// pieces returns the entries and facts of a document that pass the filter, as they are in the file.
func (x *exporter) pieces(file string, d *markdown.Document) []piece {
	var list []piece
	notes := d.Notes(file)
	for i := range d.Blocks {
		b := &d.Blocks[i]
		if b.Entry == nil {
			for len(notes) > 0 && notes[0].StartLine <= b.EndLine {
				n := notes[0]
				p := piece{file: file, fact: noteFact(n), day: dayOf(file, n), raw: n.Raw}
				if memory.InNotes(file) && n.Fact == nil {
					p.fact.Source = memory.ByAgent
				}
				list = append(list, p)
				notes = notes[1:]
			}
			continue
		}
		if !x.filter.FactsOnly {
			list = append(list, piece{file: file, block: b, day: b.Entry.Time})
			continue
		}
		for _, f := range b.Facts {
			p := piece{file: file, fact: f.Fact, day: b.Entry.Time}
			if p.fact.Created.IsZero() {
				p.fact.Created = b.Entry.Time
			}
			p.raw = []byte(markdown.FormatFact(p.fact))
			list = append(list, p)
		}
	}
	return slices.DeleteFunc(list, func(p piece) bool { return !x.passes(p) })
}

// passes reports whether a piece passes the filter.
func (x *exporter) passes(p piece) bool {
	f, at := x.filter, p.day
	if p.block == nil && !p.fact.Created.IsZero() {
		at = p.fact.Created
	}
	if dated := !at.IsZero(); (!f.Since.IsZero() && (!dated || at.Before(f.Since))) || (!f.Until.IsZero() && (!dated || !at.Before(f.Until))) {
		return false
	}
	if p.block == nil {
		return f.fact(p.fact)
	}
	if f.Type == "" && len(f.Tags) == 0 && f.Namespace == nil {
		return true
	}
	return slices.ContainsFunc(p.block.Entry.Facts, f.fact)
}

// none reports whether the filter selects everything.
func (f *Filter) none() bool {
	return f.Since.IsZero() && f.Until.IsZero() && f.Type == "" && len(f.Tags) == 0 && f.Namespace == nil && !f.FactsOnly
}

// fact reports whether a fact passes the parts of the filter that apply to facts.
func (f *Filter) fact(k memory.Fact) bool {
	return (f.Type == "" || k.Type == f.Type) && k.HasTags(f.Tags) &&
		(f.Namespace == nil || memory.NamespaceOf(k.Namespace) == *f.Namespace)
}

func (p piece) line() ([]byte, error) {
	if p.whole != nil {
		return encodeFile(p.file, p.whole)
	}
	if p.block != nil {
		return encodeEntry(p.file, *p.block.Entry, p.block.Raw)
	}
	return encodeFact(p.file, p.fact, p.day)
}

// markdown returns a piece as it is in its file. A fact gets a heading with its date and, if it has
// no id, one with its category, unless the export is already below them.
func (x *exporter) markdown(p piece) []byte {
	var b bytes.Buffer
	switch {
	case p.whole != nil:
		x.below(&b, "", false)
		b.Write(markedFile(p.file, p.whole))
		x.inside, x.head, x.blank = p.file, "", bytes.HasSuffix(p.whole, []byte("\n\n"))
		return b.Bytes()
	case p.file == x.inside: // it is in the whole file
		return nil
	}
	if p.block != nil {
		x.below(&b, "", false)
		b.Write(p.block.Raw)
		x.blank = bytes.HasSuffix(p.block.Raw, []byte("\n\n"))
		return ended(b.Bytes())
	}
	head := "# " + memory.FileTitle(memory.LastingFile)
	if !p.day.IsZero() {
		head = "# " + p.day.Format(time.DateOnly)
	}
	if p.fact.ID == "" && p.fact.Category != "" {
		head += "\n\n## " + strings.Join(strings.Fields(memory.Clean(p.fact.Category)), " ")
	}
	x.below(&b, head, bytes.HasPrefix(p.raw, []byte("- ")))
	b.Write(p.raw)
	return ended(b.Bytes())
}

// below writes the separator between a piece and the one before it: the headings of the piece,
// unless they are the current ones, and a blank line except between two bullets.
func (x *exporter) below(b *bytes.Buffer, head string, bullet bool) {
	if !x.blank && (head != x.head || !bullet || !x.bullet) {
		b.WriteByte('\n')
	}
	if head != "" && head != x.head {
		b.WriteString(head + "\n\n")
	}
	x.head, x.bullet, x.blank = head, bullet, false
}

func ended(text []byte) []byte {
	if bytes.HasSuffix(text, []byte("\n")) {
		return text
	}
	return append(text, '\n')
}
