package transfer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"
	"unicode/utf8"

	"agentflow/internal/invisible"
	"agentflow/memory"
	"agentflow/memory/markdown"
)

// version numbers the format of the lines that are written.
const version = 1

// The kinds of lines, besides those of entries and kindFile.
const (
	kindFact  = "fact"
	kindEntry = "entry"
)

// lineHead holds the fields that every line begins with.
type lineHead struct {
	V    int    `json:"v"`              // version of the format: 1
	Kind string `json:"kind"`           // fact, run, session, commit, note, entry (of an unknown kind) or file
	File string `json:"file,omitempty"` // relative to the memory folder, where it stood
}

// factLine is a fact on a line of its own, as memory export writes it.
type factLine struct {
	lineHead
	Day string `json:"day,omitempty"` // of the file it stood in, where that is one of a day
	memory.Fact
	Markdown string `json:"markdown,omitempty"` // the fact as it stood, where the fields cannot say all; it counts then
}

// entryLine is an entry: a line of what memory export writes.
type entryLine struct {
	V    int    `json:"v"`              // version of the format: 1
	File string `json:"file,omitempty"` // relative to the memory folder, where it stood
	memory.Entry
	Markdown string `json:"markdown,omitempty"` // the entry as it stood, where the fields cannot say all; it counts then
}

// encodeEntry returns the line of an entry whose text in its file is raw.
func encodeEntry(file string, e memory.Entry, raw []byte) ([]byte, error) {
	want := e.Normal()
	l := entryLine{V: version, File: file, Entry: want}
	l.Kind = memory.Kind(entryKind(e.Kind))
	text, err := encode(l)
	if err != nil {
		return nil, fmt.Errorf("writing entry %s as JSON: %w", e.ID, err)
	}
	back, err := decodeEntry(text)
	whole := err == nil && e.Extra == ""
	if whole && reflect.DeepEqual(*back.Entry, want) { // fast path for the same check
		return text, nil
	}
	formatted := markdown.Format(want)
	if whole && bytes.Equal(markdown.Format(*back.Entry), formatted) {
		return text, nil
	}
	l.Markdown = string(raw)
	if !utf8.Valid(raw) {
		l.Markdown = string(formatted) // as far as JSON can hold it
	}
	return encode(l)
}

func entryKind(k memory.Kind) string {
	if slices.Contains(memory.Kinds, k) {
		return string(k)
	}
	return kindEntry
}

// decodeEntry reads a line that encodeEntry wrote.
func decodeEntry(text []byte) (Item, error) {
	var l entryLine
	if err := json.Unmarshal(text, &l); err != nil {
		return Item{}, err
	}
	if l.Markdown != "" {
		e, ok := onlyEntry([]byte(l.Markdown))
		if !ok {
			return Item{}, errors.New("its markdown is no entry")
		}
		return Item{Entry: e, Raw: []byte(l.Markdown)}, nil
	}
	e := l.Entry.Normal()
	return Item{Entry: &e}, nil
}

// onlyEntry returns the entry if text is exactly one entry.
func onlyEntry(text []byte) (*memory.Entry, bool) {
	blocks := markdown.Parse(text).Blocks
	if len(blocks) != 1 || blocks[0].Entry == nil {
		return nil, false
	}
	return blocks[0].Entry, true
}

// encodeFact returns the line of a fact. day is zero for a fact of MEMORY.md.
func encodeFact(file string, f memory.Fact, day time.Time) ([]byte, error) {
	l := factLine{lineHead: lineHead{version, kindFact, file}, Fact: f.Normal()}
	if !day.IsZero() {
		l.Day = day.Format(time.DateOnly)
	}
	text, err := encode(l)
	if err != nil {
		return nil, fmt.Errorf("writing fact %s as JSON: %w", f.ID, err)
	}
	if back, err := decodeFact(text); err == nil && markdown.FormatFact(back.Fact) == markdown.FormatFact(f) {
		return text, nil
	}
	l.Markdown = markdown.FormatFact(f)
	return encode(l)
}

// decodeFact reads a line that encodeFact wrote.
func decodeFact(text []byte) (Item, error) {
	var l factLine
	if err := json.Unmarshal(text, &l); err != nil {
		return Item{}, err
	}
	it := Item{Fact: l.Fact.Normal(), Faded: l.File == memory.FadedFile}
	if l.Day != "" {
		day, err := time.Parse(time.DateOnly, l.Day)
		if err != nil {
			return it, fmt.Errorf("day: want a date such as 2026-11-21, have %q", l.Day)
		}
		it.Day = day
	}
	if l.Markdown == "" {
		return it, nil
	}
	notes := markdown.Parse([]byte(l.Markdown)).Notes("")
	switch {
	case len(notes) != 1:
		return it, errors.New("its markdown is no fact")
	case notes[0].Fact != nil:
		it.Fact = *notes[0].Fact
		it.Fact.Under = l.Under
	}
	return it, nil
}

// encode returns v as one line of JSON with its newline. HTML characters are not escaped.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return invisible.EscapeJSON(b.Bytes()), err
}
