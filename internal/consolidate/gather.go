package consolidate

import (
	"slices"

	"agentflow/memory"
)

// gather lists the facts that rules may change, in their order in the files. A bullet without
// an id is a person's text.
func (p *plan) gather() {
	p.facts, p.roundActions, p.left, p.retired, p.possible = nil, nil, nil, nil, nil
	p.at, p.doubles = map[place]*fact{}, map[block]bool{}
	byID := map[string][]*fact{}
	first := map[string][16]byte{} // sums of the entries that were found, by id
	known := map[string]*scanned{}
	for name, s := range p.folder.scans(p.Progress) {
		known[name] = s
		for _, e := range s.entries {
			if sum, met := first[e.id]; !met {
				first[e.id] = e.sum
			} else if sum == e.sum && !p.folder.untouched[name] {
				p.isDouble(block{name, e.block}, e.id)
			}
		}
		for _, at := range s.facts {
			if at.ID == "" || p.doubles[block{name, at.block}] {
				continue
			}
			f := &fact{Fact: at.Fact, file: name, in: at.entry, raw: at.raw, at: place{name, at.block, at.nth}}
			f.Namespace = memory.NamespaceOf(f.Namespace)
			f.byTool, f.byAgent = f.owned().ByTool(), f.owned().OpenToAgents()
			f.closed = !f.byAgent || name == memory.LastingFile
			byID[f.ID] = append(byID[f.ID], f)
			p.facts = append(p.facts, f)
		}
	}
	p.folder.scanned = known
	p.leaveOut(byID)
}

func (p *plan) isDouble(at block, id string) {
	p.doubles[at] = true
	title := p.folder.doc(at.file).Blocks[at.nth].Entry.Title
	p.addAction(Action{Kind: Doubled, ID: id, File: at.file, Text: oneLine(title), Reason: "the same entry is in another place"})
}

// leaveOut removes facts that no rule may change, and the second copies of an id.
func (p *plan) leaveOut(byID map[string][]*fact) {
	stays := map[string]*fact{} // of the facts with one id; nil if their texts differ
	for id, same := range byID {
		if p.oneText(same) {
			stays[id] = preferred(same)
		}
	}
	rest := p.facts[:0]
	for _, f := range p.facts {
		switch stays := stays[f.ID]; {
		case p.folder.untouched[f.file] || p.Forgotten != nil && p.Forgotten(f.ID):
			continue
		case stays == nil:
			if byID[f.ID][0] == f {
				p.noteLeft(Action{ID: f.ID, File: f.file, Text: f.line(), Reason: "facts with different texts have its id"})
			}
			continue
		case stays != f:
			p.at[f.at] = f
			stays.absorb(f)
			p.act(Doubled, f, "another fact has its id and its text").Into = f.ID
			continue
		}
		p.at[f.at] = f
		f.form = p.form(f.Whole())
		f.old = f.lastSaid().Before(p.Since)
		rest = append(rest, f)
	}
	p.facts = rest
}

func (p *plan) oneText(list []*fact) bool {
	first := list[0]
	return !slices.ContainsFunc(list[1:], func(f *fact) bool {
		return f.Struck != first.Struck || f.Namespace != first.Namespace || f.Key != first.Key || p.form(f.Whole()) != p.form(first.Whole())
	})
}
