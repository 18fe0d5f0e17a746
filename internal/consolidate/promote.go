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
	if p.folder.untouched[memory.LastingFile] {
		return
	}
	var there, want []*fact
	for _, f := range p.facts {
		switch {
		case !f.remains():
		case f.file == memory.LastingFile:
			if movable(f) {
				there = append(there, f)
			}
		case p.worthy(f):
			want = append(want, f)
		}
	}
	if p.folder.untouched[memory.FadedFile] {
		there = nil
	}
	m := &promotion{plan: p}
	m.fit(m.lower(there), want)
}

// movable reports whether a fact of MEMORY.md may leave it: it is not pinned, and not in a list
// below a person's words.
func movable(f *fact) bool {
	return !f.pinned() && f.in == nil && startsLine(f.raw)
}

func startsLine(bullet []byte) bool { return len(bullet) > 0 && bullet[0] != ' ' && bullet[0] != '\t' }

// worthy reports whether a fact of another file deserves a place in MEMORY.md. It applies to
// the whole repository, all repositories of the user or the team, and it is in an entry or was
// in MEMORY.md before. A fact that a person put into another file stays there.
func (p *plan) worthy(f *fact) bool {
	everywhere := f.Namespace == memory.ProjectNamespace || f.Namespace == memory.GlobalNamespace || f.Namespace == memory.TeamNamespace
	return everywhere && !f.old && !p.folder.untouched[f.file] &&
		(f.in != nil || f.file == memory.FadedFile) &&
		(p.ranking.important(f) || p.ranking.often(f)) && p.ranking.timeLeft(f) > 0
}

// promotion selects the facts of MEMORY.md.
type promotion struct {
	plan *plan
	all  []*fact        // those that may be in it, the one with the most time left first
	in   map[*fact]bool // those that are
}

func (m *promotion) lower(there []*fact) (stay []*fact) {
	for _, f := range there {
		switch {
		case m.plan.ranking.timeLeft(f) > 0:
			stay = append(stay, f)
			continue
		case f.Struck:
			m.archive(Lowered, f, "it was struck")
		case !f.Live(m.plan.Now):
			m.archive(Lowered, f, "it expired "+f.Expires.Format(time.DateOnly))
		default:
			m.archive(Lowered, f, "it was last said "+f.lastSaid().Format(time.DateOnly))
		}
	}
	return stay
}

func (m *promotion) archive(kind Kind, f *fact, reason string) {
	f.to = memory.FadedFile
	m.plan.act(kind, f, reason).To = memory.FadedFile
}

func (m *promotion) tellPromoted(f *fact) {
	reason := fmt.Sprintf("its importance is %g", f.Importance)
	if !m.plan.ranking.important(f) {
		reason = fmt.Sprintf("%d runs said it", f.runs())
	}
	m.plan.act(Promoted, f, reason).To = memory.LastingFile
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

func (m *promotion) fits(r markdownSize) bool {
	return r.lines <= m.plan.MaxLines && r.bytes <= m.plan.MaxBytes
}

// fit selects facts for MEMORY.md, in the order of the time they have left, as long as each
// fits. It counts new headings only at the end, and then removes the last facts until the file
// is within its limits. So a later run leaves out the same facts, and keeps those that are in.
func (m *promotion) fit(there, want []*fact) {
	size := map[*fact]markdownSize{}
	for _, f := range want {
		size[f] = sizeOf(f.bullet())
	}
	used := sizeOf(m.plan.revised(memory.LastingFile))
	for _, f := range there {
		size[f] = sizeOf(f.raw)
		if f.revision == markdown.Changes {
			size[f] = sizeOf(markdown.MoveBullet(f.raw, f.Fact))
		}
		used = used.minus(size[f])
	}
	if !m.fits(used) {
		m.plan.noteLeft(Action{File: memory.LastingFile, Reason: fmt.Sprintf("text that must not move has %d lines and %d bytes; agents load %d and %d",
			used.lines, used.bytes, m.plan.MaxLines, m.plan.MaxBytes)})
		return
	}
	m.all, m.in = slices.Concat(there, want), map[*fact]bool{}
	slices.SortFunc(m.all, m.plan.ranking.compare)
	for _, f := range m.all {
		if next := used.plus(size[f]); m.fits(next) {
			m.in[f], used = true, next
		}
	}
	m.place()
	for _, f := range slices.Backward(m.all) {
		if m.fits(sizeOf(m.plan.memoryText())) {
			break
		}
		if m.in[f] {
			delete(m.in, f)
			m.place()
		}
	}
	m.tellMoves()
}

// place sets the file to which each fact moves.
func (m *promotion) place() {
	for _, f := range m.all {
		f.to = ""
		switch {
		case m.in[f] && f.file != memory.LastingFile:
			f.to = memory.LastingFile
		case !m.in[f] && f.file == memory.LastingFile:
			f.to = memory.FadedFile
		}
	}
}

func (m *promotion) tellMoves() {
	for _, f := range m.all {
		switch f.to {
		case memory.LastingFile:
			m.tellPromoted(f)
		case memory.FadedFile:
			m.archive(Demoted, f, "there is no room for it in MEMORY.md")
		}
	}
}
