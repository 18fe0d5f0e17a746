package standing

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"agentflow/app"
	"agentflow/app/lookup"
	"agentflow/internal/safefile"
	"agentflow/memory"
	"agentflow/memory/markdown"
	"agentflow/memory/retrieval"
	"agentflow/prompt"
)

// WantedFacts returns the facts that such a filter admits to a prompt. A fact without a type counts as semantic. A
// pinned fact is always admitted if it is of the filter's namespace.
func WantedFacts(facts []prompt.Fact, f retrieval.Filter) []prompt.Fact {
	return slices.DeleteFunc(facts, func(k prompt.Fact) bool {
		typed := len(f.Types) == 0 || slices.Contains(f.Types, cmp.Or(k.Type, memory.Semantic))
		if f.Namespace != "" && k.Namespace != f.Namespace {
			return true
		}
		return !k.Pinned() && !(typed && cmp.Or(k.Importance, memory.PlainImportance) >= f.MinImportance)
	})
}

// maxMemoryFileRecalled limits the part of MEMORY.md read for a prompt, in bytes. It is far more than agents
// load of such a file.
const maxMemoryFileRecalled = 1 << 20

// MemoryFileFacts returns the facts of MEMORY.md, including those that people wrote there. It returns none if there is
// no such file, or if the file came with the repository.
func MemoryFileFacts(ctx context.Context, s *app.Repo) ([]prompt.Fact, error) {
	if app.UntrustedPart(ctx, s).File("memory/" + memory.LastingFile) {
		return nil, nil
	}
	return lastingFacts(filepath.Join(s.Memory(), memory.LastingFile), "memory/"+memory.LastingFile)
}

// lastingFacts returns the facts of a MEMORY.md at path. Hits use name for the file.
func lastingFacts(path, name string) ([]prompt.Fact, error) {
	src, err := lookup.ReadBeginning(path, maxMemoryFileRecalled)
	if safefile.IsAbsent(err) || errors.Is(err, safefile.ErrNotRegular) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the facts of %s: %w", memory.LastingFile, err)
	}
	doc := markdown.Parse(src)
	var facts []prompt.Fact
	for _, n := range doc.Notes(memory.LastingFile) {
		if n.Fact != nil || !n.Leads {
			facts = append(facts, prompt.Fact{Fact: n.AsFact(), Path: name, Line: n.StartLine})
		}
	}
	facts = append(facts, entryFacts(doc, name)...)
	slices.SortStableFunc(facts, func(a, b prompt.Fact) int { return cmp.Compare(a.Line, b.Line) })
	return facts, nil
}

// entryFacts returns the facts of the entries in a document. A person who moves a remembered fact into another file
// moves an entry: its comment has the fields of one.
func entryFacts(doc *markdown.Document, name string) (facts []prompt.Fact) {
	for _, b := range doc.Blocks {
		if b.Entry == nil || b.Entry.IsUndone() {
			continue
		}
		for _, at := range b.Facts {
			facts = append(facts, prompt.Fact{Fact: ownedBy(b.Entry, at.Fact), Path: name, Line: at.StartLine})
		}
	}
	return facts
}

// ownedBy completes a fact of an entry: without a time it is of the entry's, and without a source it was stated in the
// entry's run or session. A note only holds facts.
func ownedBy(e *memory.Entry, f memory.Fact) memory.Fact {
	if f.Created.IsZero() {
		f.Created = e.Time
	}
	if f.Source == "" && e.Kind != memory.KindNote {
		f.Source = e.ID
	}
	return f
}

// asGlobal marks facts of the user's own memory as global, so that people need not write that in each of them.
func asGlobal(facts []prompt.Fact) []prompt.Fact {
	for i := range facts {
		facts[i].Path = memory.GlobalLabel + facts[i].Path
		facts[i].Namespace = memory.GlobalNamespace
	}
	return facts
}
