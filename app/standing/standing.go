// Package standing gathers the facts for prompts that do not depend on a search: those that every prompt gets, and
// those that a task needs.
//
// BeginFacts starts to read the facts of MEMORY.md, the notes of the day and of the day before, the facts that
// people stated in other files, and Claude's auto memory, of this memory and of the user's own. EveryTask.AddTo
// waits for them. Estimate sets the chance that a task needs a fact (package index/factrank). LeaveOutRead removes
// the facts and hits that the agent reads in its instruction files.
//
// Guarantees: facts of files that came with the repository and were not accepted are left out. Of another person's
// shared facts, only those that a trusted person stated are used. A fact counts as stated by a person because of its
// recorded source, wherever it is stored, except in the folder notes, where agents write.
//
// Not guaranteed: a part that is not ready at the deadline of the caller is missing, and is named in Gathering.Late.
package standing

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentflow/app"
	"agentflow/app/agentfiles"
	"agentflow/app/lookup"
	"agentflow/app/memoryfiles"
	"agentflow/app/sharing"
	"agentflow/executor"
	"agentflow/index"
	"agentflow/internal/gather"
	"agentflow/memory"
	"agentflow/memory/retrieval"
	"agentflow/prompt"
)

// EveryTask gathers the facts that a prompt shows for every task: the stated ones, the others
// of MEMORY.md, and the notes of the last days.
type EveryTask struct {
	Lasting  []prompt.Fact // of MEMORY.md
	notes    []prompt.Fact
	stated   []func() ([]prompt.Fact, error, bool) // of other files
	degraded []string
}

// BeginFacts reads MEMORY.md and the notes of a day and the day before, and begins to gather
// the facts that people state in other files, through the index.
func BeginFacts(ctx context.Context, s *app.Repo, g *gather.Parts, global *app.Repo, now time.Time) (t EveryTask) {
	if s.Settings.Recall.Standing == 0 {
		return t
	}
	var err error
	t.Lasting, err = lasting(ctx, s)
	t.degraded = app.AppendError(t.degraded, err)
	t.notes, err = notesSince(ctx, s, now)
	t.degraded = app.AppendError(t.degraded, err)
	t.stated = append(t.stated, gather.Begin(g, "stated facts", func(ctx context.Context) ([]prompt.Fact, error) { return stated(ctx, s) }))
	if agentfiles.WantsAuto(s) {
		t.stated = append(t.stated, gather.Begin(g, autoMemoryName, func(a0 context.Context) ([]prompt.Fact, error) { return autoMemory(a0, s) }))
	}
	if global == nil {
		return t
	}
	more, err := lasting(ctx, global)
	t.degraded = app.AppendError(t.degraded, OfGlobal(err))
	t.Lasting = append(t.Lasting, asGlobal(more)...)
	t.stated = append(t.stated, gather.Begin(g, GlobalName, func(ctx context.Context) ([]prompt.Fact, error) {
		facts, err := stated(ctx, global)
		return asGlobal(facts), OfGlobal(err)
	}))
	return t
}

// AddTo waits for the facts that people stated, and adds all facts to found, for a prompt.
func (t EveryTask) AddTo(found *executor.Known, filter retrieval.Filter) {
	facts := t.Lasting
	for _, wait := range t.stated {
		more, err, _ := wait()
		facts, t.degraded = append(facts, more...), app.AppendError(t.degraded, err)
	}
	found.Facts, found.Notes = WantedFacts(facts, filter), WantedFacts(t.notes, filter)
	found.Degraded = append(found.Degraded, t.degraded...)
}

// lasting lists the facts of MEMORY.md, and those that trusted people state
// in theirs. The user's own memory on another machine counts in full.
func lasting(ctx context.Context, s *app.Repo) ([]prompt.Fact, error) {
	list, err := MemoryFileFacts(ctx, s)
	for _, from := range believed(ctx, s) {
		more, e := lastingFacts(filepath.Join(from.Dir, memory.LastingFile), from.Prefix+memory.LastingFile)
		err = errors.Join(err, e)
		for _, f := range more {
			if !s.IsGlobal() {
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
func addUses(s *app.Repo, list []prompt.Fact) error {
	counts, err := lookup.UsesFile(s).Read()
	for i, f := range list {
		for _, id := range f.IDs() {
			list[i].Uses += counts[id].Count()
		}
	}
	return err
}

// believed lists the shared folders of the people whom the user trusts.
func believed(ctx context.Context, s *app.Repo) []index.Source {
	trusted := sharing.Trusted(s)
	if len(trusted) == 0 || app.UntrustedPart(ctx, s).Reason != "" {
		return nil
	}
	return slices.DeleteFunc(sharing.Sources(s), func(from index.Source) bool { return !slices.Contains(trusted, from.Prefix) })
}

// stated lists the facts that people stated outside of MEMORY.md, each once. The source of
// a fact decides, wherever the fact is stored.
func stated(ctx context.Context, s *app.Repo) (list []prompt.Fact, err error) {
	warn := func(e error) { err = errors.Join(err, e) }
	files, e := memoryfiles.Digests(ctx, s, warn)
	if e != nil {
		return nil, e
	}
	trusted, foreign := sharing.Trusted(s), app.UntrustedPart(ctx, s)
	if len(trusted) > 0 {
		files = append(files, lookup.SharedDigested(ctx, s, warn)...)
	}
	seen := map[string]bool{}
	for _, f := range files {
		if foreign.File(f.File) || !isBelieved(f, trusted) {
			continue
		}
		for _, d := range f.Facts {
			k := lookup.DigestedFact(s, f, d).Owned()
			if k.Stated() && k.Live(time.Now()) && !seen[k.ID] {
				seen[k.ID] = k.ID != ""
				list = append(list, prompt.Fact{Fact: k, Path: f.File, Line: d.StartLine, Standing: true, Author: f.Author})
			}
		}
	}
	return list, errors.Join(err, addUses(s, list))
}

// isBelieved reports whether a file's stated facts really come from a person: agents wrote
// no part of it with the memory tool, and it is the user's or of a person whom the user
// trusts. Another function reads MEMORY.md.
func isBelieved(f memoryfiles.Digested, trusted []string) bool {
	switch {
	case filepath.Base(f.File) == memory.LastingFile:
		return false
	case f.Author != "":
		return slices.ContainsFunc(trusted, func(prefix string) bool { return strings.HasPrefix(f.File, prefix) })
	}
	return !memory.InNotes(strings.TrimPrefix(f.File, "memory/"))
}
