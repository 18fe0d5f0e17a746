package consolidate

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// promote decides which facts are in MEMORY.md. The candidates are the facts in it, and those
// that are important or that several runs said. As many of them as fit stay or come in, those
// with the most time left first. The other facts in MEMORY.md move to archive/facts.md.
func (p *plan) promote() {
	if p.untouched[memory.LastingFile] {
		return
	}
	var there, want []*fact
	for _, f := range p.facts {
		switch {
		case !f.remains():
		case f.file == memory.LastingFile:
			if p.movable(f) {
				there = append(there, f)
			}
		case p.worthy(f):
			want = append(want, f)
		}
	}
	if p.untouched[memory.FadedFile] {
		there = nil
	}
	p.fit(p.lower(there), want)
}

// movable reports whether a fact of MEMORY.md may leave it: it is not pinned, and not in a list
// below a person's words.
func (p *plan) movable(f *fact) bool {
	return !f.pinned() && f.in == nil && startsLine(f.raw)
}

func startsLine(bullet []byte) bool { return len(bullet) > 0 && bullet[0] != ' ' && bullet[0] != '\t' }

// worthy reports whether a fact of another file deserves a place in MEMORY.md. It applies to
// the whole repository, all repositories of the user or the team, and it is in an entry or was
// in MEMORY.md before. A fact that a person put into another file stays there.
func (p *plan) worthy(f *fact) bool {
	everywhere := f.Namespace == memory.ProjectNamespace || f.Namespace == memory.GlobalNamespace || f.Namespace == memory.TeamNamespace
	return everywhere && !f.old && !p.untouched[f.file] &&
		(f.in != nil || f.file == memory.FadedFile) &&
		(p.important(f) || p.often(f)) && p.timeLeft(f) > 0
}

func (p *plan) lower(there []*fact) (stay []*fact) {
	for _, f := range there {
		switch {
		case p.timeLeft(f) > 0:
			stay = append(stay, f)
			continue
		case f.Struck:
			p.archive(Lowered, f, "it was struck")
		case !f.Live(p.Now):
			p.archive(Lowered, f, "it expired "+f.Expires.Format(time.DateOnly))
		default:
			p.archive(Lowered, f, "it was last said "+f.lastSaid().Format(time.DateOnly))
		}
	}
	return stay
}

func (p *plan) archive(kind Kind, f *fact, reason string) {
	f.to = memory.FadedFile
	p.act(kind, f, reason).To = memory.FadedFile
}

func (p *plan) tellPromoted(f *fact) {
	reason := fmt.Sprintf("its importance is %g", f.Importance)
	if !p.important(f) {
		reason = fmt.Sprintf("%d runs said it", f.runs())
	}
	p.act(Promoted, f, reason).To = memory.LastingFile
}

// markdownSize is a size in lines and bytes of Markdown.
type markdownSize struct{ lines, bytes int }

func sizeOf(text []byte) markdownSize {
	lines := bytes.Count(text, []byte{'\n'})
	if len(text) > 0 && text[len(text)-1] != '\n' {
		lines++
	}
	return markdownSize{lines, len(text)}
}

func (r markdownSize) plus(o markdownSize) markdownSize {
	return markdownSize{r.lines + o.lines, r.bytes + o.bytes}
}

func (r markdownSize) minus(o markdownSize) markdownSize {
	return markdownSize{r.lines - o.lines, r.bytes - o.bytes}
}

func (p *plan) fits(r markdownSize) bool { return r.lines <= p.MaxLines && r.bytes <= p.MaxBytes }

// fit selects facts for MEMORY.md, in the order of the time they have left, as long as each
// fits. It counts new headings only at the end, and then removes the last facts until the file
// is within its limits. So a later run leaves out the same facts, and keeps those that are in.
func (p *plan) fit(there, want []*fact) {
	size := map[*fact]markdownSize{}
	for _, f := range want {
		size[f] = sizeOf(f.bullet())
	}
	used := sizeOf(p.revised(memory.LastingFile))
	for _, f := range there {
		size[f] = sizeOf(f.raw)
		if f.revision == markdown.Changes {
			size[f] = sizeOf(markdown.MoveBullet(f.raw, f.Fact))
		}
		used = used.minus(size[f])
	}
	if !p.fits(used) {
		p.noteLeft(Action{File: memory.LastingFile, Reason: fmt.Sprintf("text that must not move has %d lines and %d bytes; agents load %d and %d",
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
	p.tellMoves(all)
}

// place sets the file to which each fact moves.
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

func (p *plan) tellMoves(all []*fact) {
	for _, f := range all {
		switch f.to {
		case memory.LastingFile:
			p.tellPromoted(f)
		case memory.FadedFile:
			p.archive(Demoted, f, "there is no room for it in MEMORY.md")
		}
	}
}
