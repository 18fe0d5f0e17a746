package app

import (
	"context"
	"fmt"
	"time"

	"agentflow/api"
	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/uses"
)

// storedFact is a fact where it stands.
type storedFact struct {
	memory.Fact
	storedBlock
	StartLine, EndLine int // of the fact

	used uses.Use // empty unless somebody asked for it
}

// feedback is the file of judgements.
const feedback = "memory/" + memory.FeedbackFile

// facts lists the facts of memory, the newest file first. A fact that stands in
// several places, as in a copy of a file, is listed once.
func (s *openMemory) facts() []storedFact {
	var list []storedFact
	seen := map[string]bool{}
	for b := range s.readable() {
		if b.File == feedback {
			continue // judgements say nothing of the project
		}
		for _, at := range b.Facts {
			if at.ID != "" && seen[at.ID] {
				continue
			}
			seen[at.ID] = true
			list = append(list, s.factAt(b, at))
		}
	}
	return list
}

// factAt is a fact of a block, with its namespace by its one name: people may
// write the project's out, and in the user's own memory all is global.
func (s *openMemory) factAt(b storedBlock, at markdown.FactAt) storedFact {
	k := storedFact{Fact: at.Fact, storedBlock: b, StartLine: at.StartLine, EndLine: at.EndLine}
	if k.Namespace = memory.NamespaceOf(k.Namespace); k.Namespace == memory.ProjectNamespace && s.isGlobal() {
		k.Namespace = memory.GlobalNamespace
	}
	return k
}

// pinned says that the fact, or the entry that it is in, does not age.
func (k storedFact) pinned() bool { return k.Fact.Pinned() || k.Entry != nil && k.Entry.Pinned }

// created is when the fact was remembered; zero where a hand-written one does
// not say.
func (k storedFact) created() time.Time {
	if k.Created.IsZero() && k.Entry != nil {
		return k.Entry.Time
	}
	return k.Created
}

// updated is when the fact was last changed, or remembered.
func (k storedFact) updated() time.Time {
	if k.Updated.IsZero() {
		return k.created()
	}
	return k.Updated
}

// place is where the fact stands, to be shown.
func (k storedFact) place() string { return linesIn(k.File, k.StartLine, k.EndLine) }

// linesIn is where text stands in a file, as editors and people name it.
func linesIn(file string, from, to int) string {
	if from == to {
		return fmt.Sprintf("%s:%d", file, from)
	}
	return fmt.Sprintf("%s:%d-%d", file, from, to)
}

// object is the fact as JSON, with where it stands. A fact that has no date is
// as old as its entry.
func (k storedFact) object() api.Fact {
	o := api.NewFact(k.Fact)
	o.Created, o.File, o.Line, o.Pinned = k.created(), k.File, k.StartLine, k.pinned()
	if u := k.used; u.Count() > 0 {
		o.Uses = &api.Uses{Prompt: u.Prompt, Search: u.Search, Get: u.Get, Last: u.Last}
	}
	return o
}

// uses are the counts of the facts and entries that were of use, beside the log.
func (s *openMemory) uses() uses.File { return uses.File{Dir: s.State()} }

// countFound counts the hits that a search showed.
func (s *openMemory) countFound(ctx context.Context, hits []memory.Hit) {
	var ids []string
	for _, h := range hits {
		ids = append(ids, h.EntryID)
	}
	s.uses().Add(ctx, uses.Search, ids, time.Now())
}

// useCounts are the counts of this memory and of the user's own. A warning
// tells of counts that cannot be read.
func (s *openMemory) useCounts(ctx context.Context) map[string]uses.Use {
	all := map[string]uses.Use{}
	memories := []*openMemory{s}
	if !s.isGlobal() {
		if global, err := s.openGlobal(ctx, false); err == nil && global != nil {
			memories = append(memories, global)
		}
	}
	for _, home := range memories {
		counts, err := home.uses().Read()
		if err != nil {
			s.warn("%v", err)
		}
		for id, u := range counts {
			all[id] = all[id].Plus(u)
		}
	}
	return all
}

// withUses gives facts the counts of their ids, and of the ids that were merged
// into them.
func withUses(list []storedFact, counts map[string]uses.Use) {
	for i := range list {
		for _, id := range list[i].IDs() {
			list[i].used = list[i].used.Plus(counts[id])
		}
	}
}
