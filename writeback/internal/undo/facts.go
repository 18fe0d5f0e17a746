package undo

import (
	"bytes"
	"maps"
	"reflect"
	"slices"

	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/items"
	"agentflow/writeback/internal/merge"
)

// mergedByFact removes the facts that the change added to a file one by one, wherever they are in
// it now, and merges the rest. A fact that a command pinned or edited since stays, at the end of
// the file. ok is false if the rest overlaps, or a fact was edited by hand.
func (p *planner) mergedByFact(file string, base, now, before []byte, plan *Plan) (text []byte, ok bool) {
	added, current := looseFacts(base), looseFacts(now)
	for _, e := range p.Kept.Edits {
		for id := range items.AllIDs(map[string][]byte{e.File: e.Before}) {
			delete(added, id)
		}
	}
	maps.DeleteFunc(added, func(id string, _ markdown.FactAt) bool { return current[id].ID == "" })
	apart := map[string]bool{}
	var stays []markdown.FactAt
	for id, was := range added {
		apart[id] = true
		is := current[id]
		switch {
		case bytes.Equal(bytes.TrimSpace(is.Raw), bytes.TrimSpace(was.Raw)):
		case is.Pinned() != was.Pinned(), !is.Updated.Equal(was.Updated):
			stays = append(stays, is)
		default:
			return nil, false
		}
	}
	restBase, okBase := lessFacts(base, apart)
	restNow, okNow := lessFacts(now, apart)
	if !okBase || !okNow {
		return nil, false
	}
	if text, ok = merge.Merge(lessBlankEnd(restBase), lessBlankEnd(restNow), before); !ok {
		return nil, false
	}
	slices.SortFunc(stays, func(a, b markdown.FactAt) int { return a.StartLine - b.StartLine })
	if heading, _, _ := bytes.Cut(now, []byte("\n")); len(stays) > 0 && len(bytes.TrimSpace(text)) == 0 && bytes.HasPrefix(heading, []byte("# ")) {
		text = append(bytes.Clone(heading), '\n')
	}
	for i, f := range stays {
		if i == 0 && len(text) > 0 {
			text = append(bytes.TrimRight(text, "\r\n"), "\n\n"...)
		}
		text = append(text, markdown.MoveBullet(f.Raw, f.Fact)...)
		plan.Stays = append(plan.Stays, items.Ref{ID: f.ID, Title: items.FirstLine(f.Text), File: file})
	}
	return text, true
}

// lessBlankEnd returns content without the blank lines at its end, which removed facts leave
// behind.
func lessBlankEnd(content []byte) []byte {
	if text := bytes.TrimRight(content, "\r\n"); len(text) > 0 {
		return append(bytes.Clone(text), '\n')
	}
	return nil
}

// looseFacts returns the facts of a file that belong to no entry, by id, except those whose id
// occurs twice.
func looseFacts(content []byte) map[string]markdown.FactAt {
	facts, times := map[string]markdown.FactAt{}, map[string]int{}
	for _, b := range markdown.Parse(content).Blocks {
		for _, f := range b.Facts {
			if times[f.ID]++; b.Entry == nil {
				facts[f.ID] = f
			}
		}
	}
	maps.DeleteFunc(facts, func(id string, _ markdown.FactAt) bool { return id == "" || times[id] > 1 })
	return facts
}

// lessFacts returns content without the facts with these ids. ok is false if that would change
// another fact.
func lessFacts(content []byte, gone map[string]bool) (rest []byte, ok bool) {
	others := func(text []byte) (list []memory.Fact) {
		for _, f := range markdown.Parse(text).Facts() {
			if !gone[f.ID] {
				list = append(list, f.Fact)
			}
		}
		return list
	}
	rest, _ = markdown.Parse(content).RemoveAll(func(id string) bool { return gone[id] })
	return rest, reflect.DeepEqual(others(content), others(rest))
}
