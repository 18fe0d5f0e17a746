package app

import (
	"context"
	"slices"
	"strings"
	"time"

	"agentflow/executor"
	"agentflow/memory"
	"agentflow/prompt"
)

// addFacts adds what a prompt shows for every task at a time: what people state, the other
// facts of MEMORY.md, and the notes of that day and the day before.
func (s *openMemory) addFacts(ctx context.Context, found *executor.Known, global *openMemory, filter memory.Filter, now time.Time) {
	if s.settings.Recall.Standing == 0 {
		return
	}
	facts, err := s.standingFacts(ctx)
	found.Degraded = appendError(found.Degraded, err)
	if global != nil {
		more, err := global.standingFacts(ctx)
		found.Degraded = appendError(found.Degraded, ofGlobal(err))
		facts = append(facts, asGlobal(more)...)
	}
	notes, err := s.notesSince(ctx, now)
	found.Degraded = appendError(found.Degraded, err)
	found.Facts, found.Notes = wantedFacts(facts, filter), wantedFacts(notes, filter)
}

// byTool begins the paths of what agents write with the memory tool.
const byTool = "memory/" + memory.NotesFolder

// standingFacts lists the facts that people state, each once, and the other facts of MEMORY.md. A
// fact counts as stated by what is known of its source, wherever it is stored.
func (s *openMemory) standingFacts(ctx context.Context) (list []prompt.Fact, err error) {
	if list, err = s.lasting(ctx); err != nil {
		return nil, err
	}
	listed := map[string]bool{}
	for i, f := range list {
		list[i].Standing = f.Stated()
		listed[f.ID] = true
	}
	own, err := s.facts(ctx)
	if err != nil {
		return list, err
	}
	for _, k := range append(own, s.believed(ctx)...) {
		if k.owned().Stated() && k.Live(time.Now()) && !listed[k.ID] && !strings.HasPrefix(k.File, byTool) {
			list = append(list, prompt.Fact{Fact: k.owned(), Path: k.File, Line: k.StartLine, Standing: true, Author: k.Author})
		}
	}
	return s.withUseCounts(list), nil
}

// lasting lists the facts of MEMORY.md. In the user's own memory these include the ones of
// the user's other machines.
func (s *openMemory) lasting(ctx context.Context) ([]prompt.Fact, error) {
	if s.isGlobal() {
		return s.ownFileFacts(ctx)
	}
	return s.memoryFileFacts(ctx)
}

// believed lists the facts that the people share whom the user trusts.
func (s *openMemory) believed(ctx context.Context) []*storedFact {
	trusted := s.trusted()
	if len(trusted) == 0 {
		return nil
	}
	return s.sharedFacts(ctx, func(k *storedFact) bool {
		return slices.ContainsFunc(trusted, func(prefix string) bool { return strings.HasPrefix(k.File, prefix) })
	})
}

// withUseCounts adds how often each fact was used.
func (s *openMemory) withUseCounts(list []prompt.Fact) []prompt.Fact {
	counts, err := s.uses().Read()
	if err != nil {
		s.warn("%v", err)
	}
	for i, f := range list {
		for _, id := range f.IDs() {
			list[i].Uses += counts[id].Count()
		}
	}
	return list
}

// owned returns the fact with its entry as the source where it names none: the run or
// session that said it.
func (k *storedFact) owned() memory.Fact {
	f := k.Fact
	f.Created = k.created()
	if k.Entry != nil && f.Source == "" && k.Entry.Kind != memory.KindNote {
		f.Source = k.Entry.ID
	}
	return f
}
