package consolidate

import (
	"fmt"
	"time"

	"agentflow/memory"
)

// promote decides which facts stand in MEMORY.md: of those that are there,
// and of those that are important or were said by several runs, the ones with
// the most time left, as many as there is room for. The others that are there
// go to archive/facts.md.
func (p *plan) promote() {
	if p.alone[memory.LastingFile] {
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
	if p.alone[memory.FadedFile] {
		there = nil
	}
	p.fit(p.lower(there), want)
}

// movable says whether a fact of MEMORY.md may leave it: it stands by itself,
// not in a list below a person's words.
func (p *plan) movable(f *fact) bool {
	return !f.pinned() && f.entry() == nil && startsLine(f.raw)
}

func startsLine(bullet []byte) bool { return len(bullet) > 0 && bullet[0] != ' ' && bullet[0] != '\t' }

// worthy says whether a fact that stands elsewhere deserves a place in
// MEMORY.md: it holds everywhere in the repository, and it stands in an entry
// or among those that once were there. What a person put into a file of their
// own stays in it.
func (p *plan) worthy(f *fact) bool {
	return f.Namespace == memory.ProjectNamespace && !f.old && !p.alone[f.file] &&
		(f.entry() != nil || f.file == memory.FadedFile) &&
		(p.important(f) || p.often(f)) && p.remains(f) > 0
}

// lower takes out of MEMORY.md what has no time left, and gives what stays.
func (p *plan) lower(there []*fact) (stay []*fact) {
	for _, f := range there {
		switch {
		case p.remains(f) > 0:
			stay = append(stay, f)
			continue
		case f.Struck:
			p.archive(Lowered, f, "it was struck")
		case !f.Live(p.Now):
			p.archive(Lowered, f, "it expired "+f.Expires.Format(time.DateOnly))
		default:
			p.archive(Lowered, f, "it was last said "+f.said().Format(time.DateOnly))
		}
	}
	return stay
}

// archive moves a fact of MEMORY.md to archive/facts.md.
func (p *plan) archive(kind Kind, f *fact, reason string) {
	f.to = memory.FadedFile
	p.does(kind, f, reason).To = memory.FadedFile
}

// raise tells why a fact moves to MEMORY.md.
func (p *plan) raise(f *fact) {
	reason := fmt.Sprintf("its importance is %g", f.Importance)
	if !p.important(f) {
		reason = fmt.Sprintf("%d runs said it", f.runs())
	}
	p.does(Promoted, f, reason).To = memory.LastingFile
}
