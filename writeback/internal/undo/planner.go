package undo

import (
	"bytes"
	"maps"
	"reflect"
	"slices"

	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/archive"
	"agentflow/writeback/internal/items"
	"agentflow/writeback/internal/merge"
	"agentflow/writeback/internal/view"
)

// PlanFor plans to take back the kept change with this id.
func PlanFor(v *view.View, a archive.Archive, id string) (Plan, error) {
	made, err := a.Made()
	if err != nil {
		return Plan{}, err
	}
	at := slices.IndexFunc(made, func(m archive.Made) bool { return m.ID == id })
	if at < 0 {
		return Plan{}, items.ErrNotFound
	}
	if made[at].Undone {
		return Plan{}, ErrUndone
	}
	k, err := a.ReadKept(id)
	if err != nil {
		return Plan{}, err
	}
	p := planner{View: v, Kept: k, now: items.Standing(v.Files.Whole()), overlap: &OverlapError{}, leftOut: map[string]bool{}}
	plan := p.plan()
	plan.Made, plan.Source = made[at], k.Source
	if len(p.overlap.Files) > 0 {
		for _, m := range made[:at] {
			if !m.Undone && slices.ContainsFunc(m.Files, func(name string) bool { return slices.Contains(p.overlap.Files, name) }) {
				p.overlap.Later = append(p.overlap.Later, m)
			}
		}
		return Plan{}, p.overlap
	}
	return plan, nil
}

// planner plans to take a change back.
type planner struct {
	*view.View
	archive.Kept
	now     map[string]items.Ref // the entries and facts in memory, by id
	overlap *OverlapError
	leftOut map[string]bool // ids and TextIDs that do not come back, because they were forgotten since
}

func (p *planner) plan() (plan Plan) {
	afters := map[string][]byte{}
	for _, e := range p.Kept.Edits {
		afters[e.File] = e.After
	}
	stoodAfter := map[string]map[string]items.Ref{} // by file
	for _, e := range p.Kept.Edits {
		stoodAfter[e.File] = items.Standing(map[string][]byte{e.File: e.After})
	}
	goneSince, stand := items.AllIDs(afters), items.AllIDs(p.View.Files.Whole())
	maps.DeleteFunc(goneSince, func(id string, _ bool) bool { return stand[id] })
	stays, put := p.tombsToStay(), map[string]bool{}
	for _, hash := range p.Kept.Tombs {
		put[hash] = true
	}
	barred := func(id string) bool {
		hash := items.Tombstone(id)
		vanished, lost := p.View.Lost[id]
		return goneSince[id] || lost && !vanished.Forgotten || p.View.Tombs[hash] && (!put[hash] || stays[hash])
	}
	then := p.View.Files.Whole()
	for _, e := range p.Kept.Edits {
		away := p.awayFrom(e, stoodAfter, barred, &plan)
		if text, there := p.merged(e, goneSince, away, &plan); !there {
			delete(then, e.File)
		} else {
			then[e.File] = text
		}
	}
	p.once(then)
	for id := range p.leftOut {
		stays[items.Tombstone(id)] = true
	}
	p.compare(then, &plan)
	left := items.Standing(then)
	for _, id := range p.Kept.Returned {
		if _, comes := left[id]; p.now[id].ID != "" && !comes {
			plan.Forget = append(plan.Forget, id)
		}
	}
	for _, id := range p.Kept.Forgot {
		if !barred(id) && !p.leftOut[id] {
			plan.Back = append(plan.Back, id)
		}
	}
	for _, hash := range p.Kept.Tombs {
		if !stays[hash] {
			plan.Lift = append(plan.Lift, hash)
		}
	}
	return plan
}

// tombsToStay returns the tombstones of entries and facts that something other than the change
// forgot.
func (p *planner) tombsToStay() map[string]bool {
	hashes := map[string]bool{}
	for id, l := range p.View.Lost {
		if l.Forgotten && l.By != p.Source {
			for _, id := range append(items.IdsIn(l.Text), id) {
				hashes[items.Tombstone(id)] = true
			}
		}
	}
	return hashes
}

// awayFrom returns the ids that must not come back to a file: those that were forgotten or removed
// since, and those that were brought back elsewhere.
func (p *planner) awayFrom(e memory.FileEdit, stoodAfter map[string]map[string]items.Ref, barred func(string) bool, plan *Plan) map[string]bool {
	away := map[string]bool{}
	here := items.Standing(map[string][]byte{e.File: p.View.Files.Get(e.File)})
	texts := map[string]string{}
	for _, f := range markdown.Parse(e.Before).Facts() {
		texts[f.ID] = memory.TextID(f.Text)
	}
	for id, ref := range items.Standing(map[string][]byte{e.File: e.Before}) {
		if here[id].ID != "" && stoodAfter[e.File][id].ID != "" {
			continue // it stays
		}
		at, stands := p.now[id]
		after, changed := stoodAfter[at.File]
		switch {
		case stands && (slices.Contains(p.Kept.Forgot, id) || changed && after[id].ID == ""):
			away[id] = true
		case !stands && (barred(id) || texts[id] != "" && barred(texts[id])):
			away[id], p.leftOut[id], p.leftOut[texts[id]] = true, true, true
			plan.LeftOut = append(plan.LeftOut, ref)
		}
	}
	return away
}

// merged returns a file with the change taken back. there is false if the file is to be removed.
func (p *planner) merged(e memory.FileEdit, goneSince, away map[string]bool, plan *Plan) (text []byte, there bool) {
	now, stands := p.View.Files.Find(e.File)
	base, before := items.Without(e.After, goneSince), items.Without(items.Without(e.Before, goneSince), away)
	text, ok := merge.Merge(base, now, before)
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
	for _, e := range p.Kept.Edits {
		before := items.Standing(map[string][]byte{e.File: e.Before})
		for id := range items.Standing(map[string][]byte{e.File: then[e.File]}) {
			if before[id].ID == "" {
				put[id] = e.File
			}
		}
	}
	for _, e := range p.Kept.Edits {
		here, twice := items.Standing(map[string][]byte{e.File: p.View.Files.Get(e.File)}), map[string]bool{}
		for id := range items.Standing(map[string][]byte{e.File: then[e.File]}) {
			if here[id].ID == "" && put[id] != "" && put[id] != e.File {
				twice[id] = true
			}
		}
		if len(twice) > 0 {
			then[e.File] = items.Without(then[e.File], twice)
		}
	}
}

// compare fills in the effect of the undo on files, entries and facts.
func (p *planner) compare(then map[string][]byte, plan *Plan) {
	for _, e := range p.Kept.Edits {
		now, stands := p.View.Files.Find(e.File)
		text, stays := then[e.File]
		if stands != stays || !bytes.Equal(now, text) {
			plan.Edits = append(plan.Edits, memory.FileEdit{File: e.File, Before: now, After: text})
		}
	}
	// Edits that gain text come first.
	slices.SortStableFunc(plan.Edits, func(a, b memory.FileEdit) int {
		return (len(b.After) - len(b.Before)) - (len(a.After) - len(a.Before))
	})
	left := items.Standing(then)
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
	for _, refs := range [][]items.Ref{plan.Returns, plan.Leaves, plan.Changes, plan.LeftOut, plan.Stays} {
		items.SortRefs(refs)
	}
}
