package app

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentflow/executor"
	"agentflow/index"
	"agentflow/memory"
	"agentflow/prompt"
)

// everyTask gathers the facts that a prompt shows for every task: the stated ones, the others
// of MEMORY.md, and the notes of the last days.
type everyTask struct {
	lasting  []prompt.Fact // of MEMORY.md
	notes    []prompt.Fact
	stated   []func() ([]prompt.Fact, error, bool) // of other files
	degraded []string
}

// beginFacts reads MEMORY.md and the notes of a day and the day before, and begins to gather
// the facts that people state in other files, through the index.
func beginFacts(ctx context.Context, s *openMemory, g *gathering, global *openMemory, now time.Time) (t everyTask) {
	if s.settings.Recall.Standing == 0 {
		return t
	}
	var err error
	t.lasting, err = lasting(ctx, s)
	t.degraded = appendError(t.degraded, err)
	t.notes, err = notesSince(ctx, s, now)
	t.degraded = appendError(t.degraded, err)
	t.stated = append(t.stated, begin(g, "stated facts", func(ctx context.Context) ([]prompt.Fact, error) { return stated(ctx, s) }))
	if wantsAutoMemory(s) {
		t.stated = append(t.stated, begin(g, autoMemoryName, func(a0 context.Context) ([]prompt.Fact, error) { return autoMemory(a0, s) }))
	}
	if global == nil {
		return t
	}
	more, err := lasting(ctx, global)
	t.degraded = appendError(t.degraded, ofGlobal(err))
	t.lasting = append(t.lasting, asGlobal(more)...)
	t.stated = append(t.stated, begin(g, globalName, func(ctx context.Context) ([]prompt.Fact, error) {
		facts, err := stated(ctx, global)
		return asGlobal(facts), ofGlobal(err)
	}))
	return t
}

// addTo waits for the facts that people stated, and adds all facts to found, for a prompt.
func (t everyTask) addTo(found *executor.Known, filter memory.Filter) {
	facts := t.lasting
	for _, wait := range t.stated {
		more, err, _ := wait()
		facts, t.degraded = append(facts, more...), appendError(t.degraded, err)
	}
	found.Facts, found.Notes = wantedFacts(facts, filter), wantedFacts(t.notes, filter)
	found.Degraded = append(found.Degraded, t.degraded...)
}

// lasting lists the facts of MEMORY.md, and those that trusted people state
// in theirs. The user's own memory on another machine counts in full.
func lasting(ctx context.Context, s *openMemory) ([]prompt.Fact, error) {
	list, err := memoryFileFacts(ctx, s)
	for _, from := range believed(ctx, s) {
		more, e := lastingFacts(filepath.Join(from.Dir, memory.LastingFile), from.Prefix+memory.LastingFile)
		err = errors.Join(err, e)
		for _, f := range more {
			if !s.isGlobal() {
				f.Author = from.Author
			}
			if f.Author == "" || f.Stated() {
				list = append(list, f)
			}
		}
	}
	for i, f := range list {
		list[i].Standing = f.Stated()
	}
	return list, errors.Join(err, addUses(s, list))
}

// addUses adds how often each fact was useful.
func addUses(s *openMemory, list []prompt.Fact) error {
	counts, err := usesFile(s).Read()
	for i, f := range list {
		for _, id := range f.IDs() {
			list[i].Uses += counts[id].Count()
		}
	}
	return err
}

// believed lists the shared folders of the people whom the user trusts.
func believed(ctx context.Context, s *openMemory) []index.Source {
	trusted := trusted(s)
	if len(trusted) == 0 || untrustedPart(ctx, s).reason != "" {
		return nil
	}
	return slices.DeleteFunc(sharedSources(s), func(from index.Source) bool { return !slices.Contains(trusted, from.Prefix) })
}

// stated lists the facts that people stated outside of MEMORY.md, each once. The source of
// a fact decides, wherever the fact is stored.
func stated(ctx context.Context, s *openMemory) (list []prompt.Fact, err error) {
	warn := func(e error) { err = errors.Join(err, e) }
	files, e := digests(ctx, s, warn)
	if e != nil {
		return nil, e
	}
	trusted, foreign := trusted(s), untrustedPart(ctx, s)
	if len(trusted) > 0 {
		files = append(files, sharedDigested(ctx, s, warn)...)
	}
	seen := map[string]bool{}
	for _, f := range files {
		if foreign.file(f.file) || !isBelieved(f, trusted) {
			continue
		}
		for _, d := range f.Facts {
			k := digestedFact(s, f, d).owned()
			if k.Stated() && k.Live(time.Now()) && !seen[k.ID] {
				seen[k.ID] = k.ID != ""
				list = append(list, prompt.Fact{Fact: k, Path: f.file, Line: d.StartLine, Standing: true, Author: f.author})
			}
		}
	}
	return list, errors.Join(err, addUses(s, list))
}

// isBelieved reports whether a file's stated facts really come from a person: agents wrote
// no part of it with the memory tool, and it is the user's or of a person whom the user
// trusts. Another function reads MEMORY.md.
func isBelieved(f digested, trusted []string) bool {
	switch {
	case filepath.Base(f.file) == memory.LastingFile:
		return false
	case f.author != "":
		return slices.ContainsFunc(trusted, func(prefix string) bool { return strings.HasPrefix(f.file, prefix) })
	}
	return !memory.InNotes(strings.TrimPrefix(f.file, "memory/"))
}

// owned returns the fact. If the fact names no source, its entry is the source: the run or
// session that stated it.
func (k *storedFact) owned() memory.Fact {
	f := k.Fact
	f.Created = k.created()
	if k.Entry != nil && f.Source == "" && k.Entry.Kind != memory.KindNote {
		f.Source = k.Entry.ID
	}
	return f
}
