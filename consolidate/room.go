package consolidate

import (
	"bytes"
	"fmt"
	"slices"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// room is a size: lines and bytes of Markdown.
type room struct{ lines, bytes int }

func sizeOf(text []byte) room {
	lines := bytes.Count(text, []byte{'\n'})
	if len(text) > 0 && text[len(text)-1] != '\n' {
		lines++
	}
	return room{lines, len(text)}
}

func (r room) plus(o room) room  { return room{r.lines + o.lines, r.bytes + o.bytes} }
func (r room) minus(o room) room { return room{r.lines - o.lines, r.bytes - o.bytes} }

func (p *plan) fits(r room) bool { return r.lines <= p.MaxLines && r.bytes <= p.MaxBytes }

// fit lets facts into MEMORY.md, in the order of the time they have left, as
// long as each fits. It counts headings to come only when all are in, and then
// takes the last ones out until the file keeps its limits: so what was left
// out once is left out again, and what is in stays.
func (p *plan) fit(there, want []*fact) {
	size := map[*fact]room{}
	for _, f := range want {
		size[f] = sizeOf(f.bullet())
	}
	used := sizeOf(p.revised(memory.LastingFile))
	for _, f := range there {
		size[f] = sizeOf(f.raw)
		if f.fate == markdown.Changes {
			size[f] = sizeOf(markdown.MoveBullet(f.raw, f.Fact))
		}
		used = used.minus(size[f])
	}
	if !p.fits(used) {
		p.leaves(Action{File: memory.LastingFile, Reason: fmt.Sprintf("what may not move has %d lines and %d bytes; agents load %d and %d",
			used.lines, used.bytes, p.MaxLines, p.MaxBytes)})
		return
	}
	all := slices.Concat(there, want)
	slices.SortFunc(all, p.rank)
	in := map[*fact]bool{}
	for _, f := range all {
		if next := used.plus(size[f]); p.fits(next) {
			in[f], used = true, next
		}
	}
	p.place(all, in)
	for _, f := range slices.Backward(all) {
		if p.fits(sizeOf(p.memoryText())) {
			break
		}
		if in[f] {
			delete(in, f)
			p.place(all, in)
		}
	}
	p.tell(all)
}

// place sends the facts to where they are to stand.
func (p *plan) place(all []*fact, in map[*fact]bool) {
	for _, f := range all {
		f.to = ""
		switch {
		case in[f] && f.file != memory.LastingFile:
			f.to = memory.LastingFile
		case !in[f] && f.file == memory.LastingFile:
			f.to = memory.FadedFile
		}
	}
}

func (p *plan) tell(all []*fact) {
	for _, f := range all {
		switch f.to {
		case memory.LastingFile:
			p.raise(f)
		case memory.FadedFile:
			p.archive(Demoted, f, "there is no room for it in MEMORY.md")
		}
	}
}
