package transfer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// Bounds of the input, in bytes.
const (
	maxLine     = 10 << 20 // of one line of JSON Lines
	maxMarkdown = 64 << 20 // of one Markdown file
)

// isLines reports whether a file of this name is read as JSON Lines. All others are read as
// Markdown.
func isLines(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".jsonl", ".ndjson", ".json":
		return true
	}
	return false
}

// Read reads the entries and facts of one file: our JSON Lines, our Markdown, or the notes of
// another tool. name is the file's name, '/' separated. It appears in problems, and "import:" and
// the name is the source of facts without an id. The error is that of r.
func Read(name string, r io.Reader) ([]Item, []Problem, error) {
	if isLines(name) {
		return readLines(name, r)
	}
	data, err := io.ReadAll(io.LimitReader(r, maxMarkdown+1))
	switch {
	case err != nil:
		return nil, nil, fmt.Errorf("reading %s: %w", name, err)
	case len(data) > maxMarkdown:
		return nil, []Problem{{name, 0, fmt.Sprintf("it is larger than %d MB, and was left out", maxMarkdown>>20)}}, nil
	case bytes.IndexByte(data, 0) >= 0:
		return nil, []Problem{{name, 0, "it is no text, and was left out"}}, nil
	}
	return readExport(name, data), nil, nil
}

// readLines reads JSON Lines, line by line.
func readLines(name string, r io.Reader) (items []Item, problems []Problem, err error) {
	in := bufio.NewReaderSize(r, 64<<10)
	for n := 1; ; n++ {
		line, long, err := nextLine(in)
		if err != nil && err != io.EOF {
			return items, problems, fmt.Errorf("reading %s: %w", name, err)
		}
		problem := func(what string) { problems = append(problems, Problem{name, n, what}) }
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte("\xEF\xBB\xBF"))
		}
		switch text := bytes.TrimSpace(line); {
		case long:
			problem(fmt.Sprintf("the line is longer than %d MB, and was left out", maxLine>>20))
		case len(text) > 0:
			if !utf8.Valid(text) {
				problem("bytes that are not UTF-8 were replaced")
			}
			it, e := decode(text)
			if e != nil {
				problem("left out: " + e.Error())
				break
			}
			it.File, it.Line = name, n
			it.source(name)
			items = append(items, it)
		}
		if err == io.EOF {
			return items, problems, nil
		}
	}
}

// nextLine reads the next line, with its newline. If the line is too long, it discards it.
func nextLine(in *bufio.Reader) (line []byte, long bool, err error) {
	for {
		part, err := in.ReadSlice('\n')
		if long = long || len(line)+len(part) > maxLine; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, long, err
		}
	}
}

// decode reads one line.
func decode(text []byte) (Item, error) {
	var head lineHead
	var syntax *json.SyntaxError
	switch err := json.Unmarshal(text, &head); {
	case errors.As(err, &syntax):
		return Item{}, fmt.Errorf("broken JSON at byte %d: %w", syntax.Offset, err)
	case err != nil:
		return Item{}, err
	case head.V == 0 || head.Kind == "":
		return Item{}, errors.New(`it is no line of an export: "v" and "kind" are missing`)
	case head.V > version:
		return Item{}, fmt.Errorf("it was written by a newer agentflow (v=%d)", head.V)
	}
	switch {
	case head.Kind == kindFile:
		return decodeFile(text)
	case head.Kind == kindFact:
		return decodeFact(text)
	case head.Kind == kindEntry, slices.Contains(memory.Kinds, memory.Kind(head.Kind)):
		return decodeEntry(text)
	}
	return Item{}, fmt.Errorf("there is no kind %q", head.Kind)
}

// source records which file a fact without an id came from.
func (it *Item) source(name string) {
	if it.Entry == nil && it.Whole == nil && it.Fact.ID == "" && it.Fact.Source == "" {
		it.Fact.Source = memory.ImportedFrom + name
	}
}

// readMarkdown reads one of our memory files, or notes of another tool.
func readMarkdown(name string, data []byte) []Item {
	d := markdown.Parse(data)
	notes := d.Notes(name)
	var items []Item
	for _, b := range d.Blocks {
		if b.Entry != nil {
			it := Item{Entry: b.Entry, File: name, Line: b.StartLine}
			if b.Entry.Extra != "" {
				it.Raw = b.Raw
			}
			items = append(items, it)
			continue
		}
		for len(notes) > 0 && notes[0].StartLine <= b.EndLine {
			it := Item{Fact: noteFact(notes[0]), Day: dayOf(name, notes[0]), Faded: name == memory.FadedFile, File: name, Line: notes[0].StartLine}
			it.source(name)
			it.Plain = it.Fact.ID == "" && !markdown.StandsAlone(it.Fact.Whole())
			if !notes[0].Leads {
				items = append(items, it)
			}
			notes = notes[1:]
		}
	}
	return items
}

// dayOf returns the day of a note. It is zero for a fact of MEMORY.md that has an id, even under a
// heading with a date.
func dayOf(file string, n markdown.Note) time.Time {
	if n.Fact != nil && path.Base(file) == memory.LastingFile {
		return time.Time{}
	}
	return n.Date
}

// maxCategory bounds the runes of a heading that becomes a category.
const maxCategory = 100

// noteFact returns a piece of hand-written text as a fact.
func noteFact(n markdown.Note) memory.Fact {
	if n.Fact != nil {
		return *n.Fact
	}
	f := memory.Fact{
		Type: memory.Semantic, Importance: memory.PlainImportance, Tags: n.Tags, Category: memory.Head(n.Heading, maxCategory),
		Paths: n.Paths, Created: n.Date, Struck: n.Struck, Text: n.Text, Under: n.Under,
	}
	if n.Type != "" {
		f.Type = n.Type
	}
	return f.Normal()
}
