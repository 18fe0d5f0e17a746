package consolidate

import (
	"agentflow/memory"
)

// maxRounds limits how often the rules are applied. Two rounds are usual: the last one finds
// nothing to do.
const maxRounds = 12

// Plan returns the changes that put memory in order. It takes time nearly linear in the size of
// memory.
func Plan(in Input) Result {
	p := newPlan(in)
	for range maxRounds {
		if !p.round() {
			break
		}
	}
	p.compare()
	more := max(0, len(p.possible)-maxPossible)
	return Result{Edits: p.folder.edits(p.Files), Forget: p.forget, Actions: append(p.actions, p.left...), Possible: p.possible[:len(p.possible)-more], More: more, revised: p.folder.revised}
}

// Unite only plans that facts of one entry are merged with facts that already say the same. If
// an id occurs twice it returns nil, and leaves that to Plan.
func Unite(in Input, entry string) []memory.FileEdit {
	p := newPlan(in)
	p.entry = entry
	p.gather()
	if len(p.roundActions) > 0 {
		return nil
	}
	p.merge()
	after := p.render()
	if len(p.misread(after)) > 0 {
		return nil
	}
	p.folder.take(after)
	return p.folder.edits(p.Files)
}

// round applies all rules once, except to files that would not read the same afterwards. It
// reports whether anything changed.
func (p *plan) round() bool {
	for {
		p.gather()
		p.merge()
		p.supersede()
		p.retain()
		p.promote()
		after := p.render()
		if bad := p.misread(after); len(bad) > 0 {
			p.leaveAlone(bad)
			continue
		}
		p.Merges = nil
		p.actions = append(p.actions, p.roundActions...)
		p.forget = append(p.forget, p.retired...)
		return p.folder.take(after) || p.fold()
	}
}

// leaveAlone excludes files from the rest of the plan.
func (p *plan) leaveAlone(names []string) {
	for _, name := range names {
		p.folder.untouched[name] = true
		p.actions = append(p.actions, Action{Kind: Left, File: name, Reason: "its Markdown would not read the same after a change"})
	}
}
