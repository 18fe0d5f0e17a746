package transfer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// kindFile marks a whole file, in a line of an export and in Added.
const kindFile = "file"

// fileLine is a whole file of memory that holds more than entries and facts: headings,
// prose, the notes of the memory tool.
type fileLine struct {
	lineHead
	Text string `json:"text"` // the contents of the file
}

// mayBeWhole reports whether a file can be exported as a whole.
func mayBeWhole(name string, text []byte) bool {
	return utf8.Valid(text) && len(text) > 0 && 2*len(text) <= maxLine && wholeName(name)
}

// isMore reports whether a file holds more than its entries and facts: an import of only
// those would not restore it.
func isMore(name string, text []byte) bool {
	edits, _ := Plan(nil, readMarkdown(name, text), Options{})
	return len(edits) != 1 || edits[0].File != name || !bytes.Equal(edits[0].After, text)
}

// wholeName reports whether a file of memory may have the name.
func wholeName(name string) bool {
	if !strings.HasSuffix(name, ".md") || path.Clean(name) != name || path.IsAbs(name) || strings.ContainsAny(name, "\\:\n\x00") {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(part, ".") {
			return false
		}
	}
	return name != memory.FeedbackFile
}

// encodeFile returns the line for a whole file.
func encodeFile(name string, text []byte) ([]byte, error) {
	return encode(fileLine{lineHead{version, kindFile, name}, string(text)})
}

func decodeFile(text []byte) (Item, error) {
	var l fileLine
	if err := json.Unmarshal(text, &l); err != nil {
		return Item{}, err
	}
	if !wholeName(l.File) {
		return Item{}, fmt.Errorf("%s is no file of memory", memory.Head(fmt.Sprintf("%q", l.File), 60))
	}
	return Item{Whole: []byte(l.Text), Name: l.File}, nil
}

// In Markdown, a comment above a whole file gives its name and length.
const (
	fileOpen  = "<!-- agentflow-file "
	fileBytes = " bytes="
	fileClose = " -->\n"
)

// markedFile returns a whole file with its comment, for an export as Markdown.
func markedFile(name string, text []byte) []byte {
	return ended([]byte(fileOpen + name + fileBytes + strconv.Itoa(len(text)) + fileClose + string(text)))
}

// cutFile finds the first marked file of an export.
func cutFile(data []byte) (before []byte, name string, text, after []byte, ok bool) {
	at := bytes.Index(data, []byte(fileOpen))
	if at < 0 || at > 0 && data[at-1] != '\n' {
		return data, "", nil, nil, false
	}
	head, rest, found := bytes.Cut(data[at+len(fileOpen):], []byte(fileClose))
	name, size, sized := strings.Cut(string(head), fileBytes)
	n, err := strconv.Atoi(size)
	if !found || !sized || err != nil || n < 0 || n > len(rest) || !wholeName(name) {
		return data, "", nil, nil, false
	}
	return data[:at], name, rest[:n], rest[n:], true
}

// readExport reads Markdown that may hold whole files of memory.
func readExport(name string, data []byte) (items []Item) {
	line := 1
	for {
		before, file, text, after, ok := cutFile(data)
		items = append(items, lower(readMarkdown(name, before), line-1)...)
		if !ok {
			return items
		}
		line += bytes.Count(before, []byte("\n")) + 1
		items = append(items, Item{Whole: text, Name: file, File: name, Line: line})
		for _, it := range lower(readMarkdown(file, text), line-1) {
			it.File = name
			items = append(items, it)
		}
		line += bytes.Count(text, []byte("\n"))
		data = after
	}
}

// lower moves items down by some lines.
func lower(items []Item, lines int) []Item {
	for i := range items {
		items[i].Line += lines
	}
	return items
}

// file adds a whole file if memory has no file of its name and nothing in it is in memory
// or was forgotten. Otherwise the entries and facts that follow it are merged one by one.
func (p *planner) file(it Item) {
	before, there := p.files[it.Name]
	switch {
	case there && bytes.Equal(before, it.Whole):
		p.report.Standing++
		return
	case there, p.added[it.Name] != nil, p.wholes[it.Name] != nil:
		return
	case p.o.Namespace != memory.ProjectNamespace && p.o.Namespace != memory.GlobalNamespace:
		return
	}
	d := markdown.Parse(it.Whole)
	for _, id := range d.IDs() {
		if _, stands := p.ids[id]; stands || p.o.Barred(id) {
			return
		}
	}
	for _, n := range d.Notes(it.Name) {
		if p.o.Barred(memory.TextID(n.Text)) {
			return
		}
	}
	p.wholes[it.Name] = it.Whole
	p.readFile(it.Name, it.Whole)
	p.report.Added = append(p.report.Added, Added{Kind: kindFile, File: it.Name, Text: memory.FileTitle(it.Name)})
}
