package writeback

import (
	"bytes"
	"maps"
	"reflect"
	"slices"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// planUndo plans to take back the kept change with this id.
func planUndo(v *view, a Archive, id string) (UndoPlan, error) {
	made, err := a.Made()
	if err != nil {
		return UndoPlan{}, err
	}
	at := slices.IndexFunc(made, func(m Made) bool { return m.ID == id })
	if at < 0 {
		return UndoPlan{}, ErrNotFound
	}
	if made[at].Undone {
		return UndoPlan{}, ErrUndone
	}
	k, err := a.readKept(id)
	if err != nil {
		return UndoPlan{}, err
	}
	p := planner{view: v, kept: k, now: standing(v.files.whole()), overlap: &OverlapError{}, leftOut: map[string]bool{}}
	plan := p.plan()
	plan.Made, plan.source = made[at], k.source
	if len(p.overlap.Files) > 0 {
		for _, m := range made[:at] {
			if !m.Undone && slices.ContainsFunc(m.Files, func(name string) bool { return slices.Contains(p.overlap.Files, name) }) {
				p.overlap.Later = append(p.overlap.Later, m)
			}
		}
		return UndoPlan{}, p.overlap
	}
	return plan, nil
}

// planner plans to take a change back.
type planner struct {
	*view
	kept
	now     map[string]Ref // the entries and facts in memory, by id
	overlap *OverlapError
	leftOut map[string]bool // ids and TextIDs that do not come back, because they were forgotten since
}

func (p *planner) plan() (plan UndoPlan) {
	afters := map[string][]byte{}
	for _, e := range p.kept.files {
		afters[e.File] = e.After
	}
	stoodAfter := map[string]map[string]Ref{} // by file
	for _, e := range p.kept.files {
		stoodAfter[e.File] = standing(map[string][]byte{e.File: e.After})
	}
	goneSince, stand := allIDs(afters), allIDs(p.view.files.whole())
	maps.DeleteFunc(goneSince, func(id string, _ bool) bool { return stand[id] })
	stays, put := p.tombsToStay(), map[string]bool{}
	for _, hash := range p.kept.tombs {
		put[hash] = true
	}
	barred := func(id string) bool {
		hash := tombstone(id)
		vanished, lost := p.view.lost[id]
		return goneSince[id] || lost && !vanished.forgotten || p.view.tombs[hash] && (!put[hash] || stays[hash])
	}
	then := p.view.files.whole()
	for _, e := range p.kept.files {
		away := p.awayFrom(e, stoodAfter, barred, &plan)
		if text, there := p.merged(e, goneSince, away, &plan); !there {
			delete(then, e.File)
		} else {
			then[e.File] = text
		}
	}
	p.once(then)
	for id := range p.leftOut {
		stays[tombstone(id)] = true
	}
	p.compare(then, &plan)
	left := standing(then)
	for _, id := range p.kept.returned {
		if _, comes := left[id]; p.now[id].ID != "" && !comes {
			plan.forget = append(plan.forget, id)
		}
	}
	for _, id := range p.kept.forgot {
		if !barred(id) && !p.leftOut[id] {
			plan.back = append(plan.back, id)
		}
	}
	for _, hash := range p.kept.tombs {
		if !stays[hash] {
			plan.lift = append(plan.lift, hash)
		}
	}
	return plan
}

// tombsToStay returns the tombstones of entries and facts that something other than the change
// forgot.
func (p *planner) tombsToStay() map[string]bool {
	hashes := map[string]bool{}
	for id, l := range p.view.lost {
		if l.forgotten && l.by != p.source {
			for _, id := range append(idsIn(l.text), id) {
				hashes[tombstone(id)] = true
			}
		}
	}
	return hashes
}

// awayFrom returns the ids that must not come back to a file: those that were forgotten or removed
// since, and those that were brought back elsewhere.
func (p *planner) awayFrom(e memory.FileEdit, stoodAfter map[string]map[string]Ref, barred func(string) bool, plan *UndoPlan) map[string]bool {
	away := map[string]bool{}
	here := standing(map[string][]byte{e.File: p.view.files.get(e.File)})
	texts := map[string]string{}
	for _, f := range markdown.Parse(e.Before).Facts() {
		texts[f.ID] = memory.TextID(f.Text)
	}
	for id, ref := range standing(map[string][]byte{e.File: e.Before}) {
		if here[id].ID != "" && stoodAfter[e.File][id].ID != "" {
			continue // it stays
		}
		at, stands := p.now[id]
		after, changed := stoodAfter[at.File]
		switch {
		case stands && (slices.Contains(p.kept.forgot, id) || changed && after[id].ID == ""):
			away[id] = true
		case !stands && (barred(id) || texts[id] != "" && barred(texts[id])):
			away[id], p.leftOut[id], p.leftOut[texts[id]] = true, true, true
			plan.LeftOut = append(plan.LeftOut, ref)
		}
	}
	return away
}

// merged returns a file with the change taken back. there is false if the file is to be removed.
func (p *planner) merged(e memory.FileEdit, goneSince, away map[string]bool, plan *UndoPlan) (text []byte, there bool) {
	now, stands := p.view.files.find(e.File)
	base, before := without(e.After, goneSince), without(without(e.Before, goneSince), away)
	text, ok := merge(base, now, before)
	if !ok {
		text, ok = p.mergedByFact(e.File, base, now, before, plan)
	}
	switch {
	case !ok:
		p.overlap.Files = append(p.overlap.Files, e.File)
		return now, stands
	case len(bytes.TrimSpace(text)) == 0 && (e.Before == nil || !stands && e.After != nil):
		return nil, false
	}
	if bytes.Equal(now, markdown.WithoutEmptyNotes(now)) && !bytes.Equal(text, before) {
		text = markdown.WithoutEmptyNotes(text)
	}
	return append([]byte{}, text...), true
}

// once removes from a file the entries and facts that would come back to it, but that were put into
// another file since.
func (p *planner) once(then map[string][]byte) {
	put := map[string]string{} // ids that another file holds, though it did not before the change, and that file
	for _, e := range p.kept.files {
		before := standing(map[string][]byte{e.File: e.Before})
		for id := range standing(map[string][]byte{e.File: then[e.File]}) {
			if before[id].ID == "" {
				put[id] = e.File
			}
		}
	}
	for _, e := range p.kept.files {
		here, twice := standing(map[string][]byte{e.File: p.view.files.get(e.File)}), map[string]bool{}
		for id := range standing(map[string][]byte{e.File: then[e.File]}) {
			if here[id].ID == "" && put[id] != "" && put[id] != e.File {
				twice[id] = true
			}
		}
		if len(twice) > 0 {
			then[e.File] = without(then[e.File], twice)
		}
	}
}

// compare fills in the effect of the undo on files, entries and facts.
func (p *planner) compare(then map[string][]byte, plan *UndoPlan) {
	for _, e := range p.kept.files {
		now, stands := p.view.files.find(e.File)
		text, stays := then[e.File]
		if stands != stays || !bytes.Equal(now, text) {
			plan.Edits = append(plan.Edits, memory.FileEdit{File: e.File, Before: now, After: text})
		}
	}
	// Edits that gain text come first.
	slices.SortStableFunc(plan.Edits, func(a, b memory.FileEdit) int {
		return (len(b.After) - len(b.Before)) - (len(a.After) - len(a.Before))
	})
	left := standing(then)
	for id, ref := range left {
		if p.now[id].ID == "" {
			plan.Returns = append(plan.Returns, ref)
		}
	}
	for id, ref := range p.now {
		if left[id].ID == "" {
			plan.Leaves = append(plan.Leaves, ref)
		}
	}
	now := map[string]memory.Fact{}
	for _, e := range plan.Edits {
		for _, f := range markdown.Parse(e.Before).Facts() {
			now[f.ID] = f.Fact
		}
	}
	for _, e := range plan.Edits {
		for _, f := range markdown.Parse(e.After).Facts() {
			if old, stood := now[f.ID]; stood && f.ID != "" && !reflect.DeepEqual(old, f.Fact) {
				plan.Changes = append(plan.Changes, left[f.ID])
				delete(now, f.ID)
			}
		}
	}
	for _, refs := range [][]Ref{plan.Returns, plan.Leaves, plan.Changes, plan.LeftOut, plan.Stays} {
		sortRefs(refs)
	}
}
