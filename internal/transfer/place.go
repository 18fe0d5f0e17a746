package transfer

import (
	"bytes"
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// fileOf returns the file for an entry of time t: the file of its day, or the archive that holds
// its month.
func (p *planner) fileOf(t time.Time) string {
	daily, month := memory.DayFile(t), memory.MonthFile(t)
	for _, name := range []string{daily, month} {
		if _, ok := p.files[name]; ok || p.wholes[name] != nil {
			return name
		}
	}
	return daily
}

// edits returns the changed files, sorted by name.
func (p *planner) edits() []memory.FileEdit {
	for name, heads := range p.below {
		for _, head := range slices.Sorted(maps.Keys(heads)) {
			p.added[name] = append(p.added[name], append([]byte("\n## "+head+"\n\n"), bytes.Join(heads[head], nil)...))
		}
	}
	var list []memory.FileEdit
	for name, parts := range p.added {
		base := p.files[name]
		if p.wholes[name] != nil {
			base = p.wholes[name]
		}
		list = append(list, memory.FileEdit{File: name, Before: p.files[name], After: appended(name, base, parts)})
	}
	for name, text := range p.wholes {
		if p.added[name] == nil {
			list = append(list, memory.FileEdit{File: name, After: text})
		}
	}
	slices.SortFunc(list, func(a, b memory.FileEdit) int { return strings.Compare(a.File, b.File) })
	return list
}

// appended returns the contents of a file with more parts at its end.
func appended(name string, content []byte, parts [][]byte) []byte {
	out := slices.Clone(content)
	if len(out) == 0 {
		out = append(out, "# "+memory.FileTitle(name)+"\n"...)
	}
	if !bytes.HasSuffix(out, []byte("\n")) {
		out = append(out, '\n')
	}
	bullets := name == memory.LastingFile || name == memory.FadedFile
	if bullets && endsInEntry(out) {
		out = append(out, "\n---\n"...) // the parts that follow do not belong to the entry
	}
	if bullets {
		out = append(out, markdown.Opening(out, memory.FileTitle(name), bytes.HasPrefix(parts[0], []byte("\n## ")))...)
	}
	if !bytes.HasSuffix(out, []byte("\n\n")) && !(bullets && endsInBullet(out)) {
		out = append(out, '\n')
	}
	var notes []byte
	for _, part := range parts {
		if markdown.IsNote(part) {
			notes = append(notes, part...)
			continue
		}
		out = append(out, part...)
		if !bytes.HasSuffix(out, []byte("\n")) {
			out = append(out, '\n')
		}
	}
	return withNotes(out, notes)
}

// withNotes returns a file with more notes.
func withNotes(file, notes []byte) []byte {
	if len(notes) == 0 {
		return file
	}
	if text, ok := markdown.AddNote(file, notes); ok {
		return text
	}
	return slices.Concat(bytes.TrimRight(file, "\n"), []byte("\n\n"+markdown.NotesHeading+"\n\n"), notes)
}

// endsInEntry reports whether text appended to content would become part of an entry.
func endsInEntry(content []byte) bool {
	const mark = "mark"
	d := markdown.Parse(append(slices.Clone(content), "\n"+mark+"\n"...))
	last := d.Blocks[len(d.Blocks)-1]
	return last.Entry != nil
}

func endsInBullet(content []byte) bool {
	last := content[bytes.LastIndexByte(content[:len(content)-1], '\n')+1:]
	return bytes.HasPrefix(last, []byte("- "))
}

// kindText marks, in Added, text that is not a fact.
const kindText = "text"

// importedFolder holds imports in the memory folder.
const importedFolder = "imported/"

// plain adds a text that makes no sense as a fact, such as code, so that a search finds it. The
// text goes to a file named after the one it was read from, under its former heading.
func (p *planner) plain(it Item) {
	text := strings.TrimSpace(it.Fact.Text)
	head := plainHead(it)
	key := textKey(memory.ProjectNamespace, text)
	if !markdown.Plain(head) {
		key = textKey(memory.ProjectNamespace, memory.Fact{Text: text, Under: []string{head}}.Whole())
	}
	switch {
	case it.Fact.Struck || memory.Clean(text) == "":
		return
	case len(text) > maxText:
		p.problem("left out: %d KB of text are no fact", len(text)>>10)
		return
	case p.o.Namespace != memory.ProjectNamespace && p.o.Namespace != memory.GlobalNamespace:
		p.problem("left out: text that is no fact cannot belong to a namespace")
		return
	case p.o.Barred(memory.TextID(text)):
		p.report.Forgotten++
		return
	case p.texts[key], p.texts[textKey(memory.ProjectNamespace, it.Fact.Whole())]:
		p.report.Same++
		return
	}
	p.texts[key] = true
	file := importedFile(it.File)
	part := text + "\n\n"
	if head != "" && head != p.heads[file] {
		p.heads[file] = head
		part = "## " + head + "\n\n" + part
	}
	p.added[file] = append(p.added[file], []byte(part))
	p.report.Added = append(p.report.Added, Added{Kind: kindText, File: file, Text: text, Heading: head})
}

// plainHead returns the heading for a text: its day and its subject.
func plainHead(it Item) string {
	head := cmp.Or(heading(it.Fact), strings.Join(strings.Fields(memory.Clean(it.Fact.Category)), " "))
	if it.Day.IsZero() {
		return head
	}
	return strings.TrimSpace(it.Day.Format(time.DateOnly) + " " + head)
}

// heading joins the lines in Under of a fact into one heading.
func heading(f memory.Fact) string {
	return strings.Join(strings.Fields(memory.Clean(strings.Join(f.Under, ": "))), " ")
}

// importedFile returns the file of memory that gets the text of an imported file.
func importedFile(name string) string {
	base := strings.TrimSuffix(path.Base(name), path.Ext(name))
	safe := strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == '.' || '0' <= r && r <= '9' || 'a' <= r|0x20 && r|0x20 <= 'z' {
			return r
		}
		return '-'
	}, base)
	if safe = strings.Trim(safe, "."); safe == "" {
		safe = "notes"
	}
	return importedFolder + safe + ".md"
}
