package transfer

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// fileOf is where an entry of that time stands: in the file of its day, or in
// the archive that its month was folded into.
func (p *planner) fileOf(t time.Time) string {
	daily, month := memory.DayFile(t), memory.MonthFile(t)
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
		out = append(out, "# "+memory.FileTitle(name)+"\n"...)
	}
	if !bytes.HasSuffix(out, []byte("\n")) {
		out = append(out, '\n')
	}
	bullets := name == memory.LastingFile || name == memory.FadedFile
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
	d := markdown.Parse(append(slices.Clone(content), "\n"+mark+"\n"...))
	last := d.Blocks[len(d.Blocks)-1]
	return last.Entry != nil
}

func endsInBullet(content []byte) bool {
	last := content[bytes.LastIndexByte(content[:len(content)-1], '\n')+1:]
	return bytes.HasPrefix(last, []byte("- "))
}
