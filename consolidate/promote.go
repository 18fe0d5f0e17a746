package consolidate

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// promote decides which facts stand in MEMORY.md: of those that are there,
// and of those that are important or were said by several runs, the ones with
// the most time left, as many as there is room for. The others that are there
// go to archive/facts.md.
func (p *plan) promote() {
	if p.untouched[memory.LastingFile] {
		return
	}
	var there, want []*fact
	for _, f := range p.facts {
		switch {
		case !f.stands():
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

// movable says whether a fact of MEMORY.md may leave it: it stands by itself,
// not in a list below a person's words.
func (p *plan) movable(f *fact) bool {
	return !f.pinned() && f.in == nil && startsLine(f.raw)
}

func startsLine(bullet []byte) bool { return len(bullet) > 0 && bullet[0] != ' ' && bullet[0] != '\t' }

// worthy says whether a fact that stands elsewhere deserves a place in
// MEMORY.md: it holds in the whole repository, or in all of the user's or of a team, and it stands in an entry
// or among those that once were there. A fact that a person put into a file of
// their own stays in it.
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

// room is a size: lines and bytes of Markdown.
type room struct{ lines, bytes int }

func sizeOf(text []byte) room {
	lines := bytes.Count(text, []byte{'\n'})
	if len(text) > 0 && text[len(text)-1] != '\n' {
		lines++
	}
	return room{lines, len(text)}
}

func (r room) plus(o room) room { return room{r.lines + o.lines, r.bytes + o.bytes} }

func (r room) minus(o room) room { return room{r.lines - o.lines, r.bytes - o.bytes} }

func (p *plan) fits(r room) bool { return r.lines <= p.MaxLines && r.bytes <= p.MaxBytes }

// fit lets facts into MEMORY.md, in the order of the time they have left, as
// long as each fits. It counts headings to come only when all are in, and then
// takes the last ones out until the file keeps its limits: so a fact
// that was left out once is left out again, and one that is in stays.
func (p *plan) fit(there, want []*fact) {
	size := map[*fact]room{}
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
