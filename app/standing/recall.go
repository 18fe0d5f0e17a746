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
	"agentflow/prompt"
)

// WantedFacts returns the facts that such a filter admits to a prompt. A fact without a type counts as semantic. A
// pinned fact is always admitted if it is of the filter's namespace.
func WantedFacts(facts []prompt.Fact, f memory.Filter) []prompt.Fact {
	return slices.DeleteFunc(facts, func(k prompt.Fact) bool {
		typed := len(f.Types) == 0 || slices.Contains(f.Types, cmp.Or(k.Type, memory.Semantic))
		if f.Namespace != "" && k.Namespace != f.Namespace {
			return true
		}
		return !k.Pinned() && !(typed && cmp.Or(k.Importance, memory.PlainImportance) >= f.MinImportance)
	})
}

// maxMemoryFileRecalled is the part of MEMORY.md that is read for a prompt, in bytes. It is far more than agents load
// of such a file.
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
	var facts []prompt.Fact
	for _, n := range markdown.Parse(src).Notes(memory.LastingFile) {
		if n.Fact != nil || !n.Leads {
			facts = append(facts, prompt.Fact{Fact: n.AsFact(), Path: name, Line: n.StartLine})
		}
	}
	return facts, nil
}

// asGlobal marks facts of the user's own memory as global, so that people need not write that in each of them.
func asGlobal(facts []prompt.Fact) []prompt.Fact {
	for i := range facts {
		facts[i].Path = memory.GlobalLabel + facts[i].Path
		facts[i].Namespace = memory.GlobalNamespace
	}
	return facts
}
