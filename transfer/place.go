package transfer

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"agentflow/memory"
)

// factsFile holds the facts that belong to no day, fadedFile those of them that
// consolidation moved out of it.
const (
	factsFile = "MEMORY.md"
	fadedFile = "archive/facts.md"
)

// fileOf is where an entry of that time stands: in the file of its day, or in
// the archive that its month was folded into.
func (p *planner) fileOf(t time.Time) string {
	daily, month := t.Format(time.DateOnly)+".md", "archive/"+t.Format("2006-01")+".md"
	if _, ok := p.files[daily]; ok {
		return daily
	}
	if _, ok := p.files[month]; ok {
		return month
	}
	return daily
}

// edits are the files as they are and as they are to be, by name.
func (p *planner) edits() []memory.FileEdit {
	var list []memory.FileEdit
	for name, parts := range p.added {
		list = append(list, memory.FileEdit{File: name, Before: p.files[name], After: appended(name, p.files[name], parts)})
	}
	slices.SortFunc(list, func(a, b memory.FileEdit) int { return strings.Compare(a.File, b.File) })
	return list
}

// appended is a file with more at its end.
func appended(name string, content []byte, parts [][]byte) []byte {
	out := slices.Clone(content)
	if len(out) == 0 {
		title := strings.TrimSuffix(name[strings.LastIndexByte(name, '/')+1:], ".md")
		switch name {
		case factsFile:
			title = "Memory"
		case fadedFile:
			title = "Facts that left MEMORY.md"
		}
		out = append(out, "# "+title+"\n"...)
	}
	if !bytes.HasSuffix(out, []byte("\n")) {
		out = append(out, '\n')
	}
	bullets := name == factsFile || name == fadedFile
	if bullets && endsInEntry(out) {
		out = append(out, "\n---\n"...) // what follows is no part of it
	}
	if !bytes.HasSuffix(out, []byte("\n\n")) && !(bullets && endsInBullet(out)) {
		out = append(out, '\n')
	}
	for _, part := range parts {
		out = append(out, part...)
		if !bytes.HasSuffix(out, []byte("\n")) {
			out = append(out, '\n')
		}
	}
	return out
}

// endsInEntry says whether text that is added now would be part of an entry.
func endsInEntry(content []byte) bool {
	const mark = "mark"
	d := memory.Parse(append(slices.Clone(content), "\n"+mark+"\n"...))
	last := d.Blocks[len(d.Blocks)-1]
	return last.Entry != nil
}

func endsInBullet(content []byte) bool {
	last := content[bytes.LastIndexByte(content[:len(content)-1], '\n')+1:]
	return bytes.HasPrefix(last, []byte("- "))
}
