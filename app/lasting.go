package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"agentflow/internal/repofile"
	"agentflow/memory"
	"agentflow/prompt"
)

// maxLasting is how much of MEMORY.md is looked at for a prompt, in bytes: far
// more than agents load of such a file.
const maxLasting = 1 << 20

// lasting are the facts of MEMORY.md, what people wrote there included; none
// where there is no such file, or where it is not the user's.
func (s *site) lasting(ctx context.Context) ([]prompt.Fact, error) {
	if s.brought(ctx).file("memory/" + memory.LastingFile) {
		return nil, nil
	}
	src, err := readBeginning(filepath.Join(s.Memory(), memory.LastingFile), maxLasting)
	if repofile.IsAbsent(err) || errors.Is(err, repofile.ErrNotRegular) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the facts of %s: %w", memory.LastingFile, err)
	}
	var facts []prompt.Fact
	for _, n := range memory.Parse(src).Notes(memory.LastingFile) {
		f := memory.Fact{Type: n.Type, Tags: n.Tags, Text: n.Text, Struck: n.Struck} // written by hand
		switch {
		case n.Fact != nil:
			f = *n.Fact
		case memory.LeadsOn(n.Text):
			continue
		}
		facts = append(facts, prompt.Fact{Fact: f, Path: "memory/" + memory.LastingFile, Line: n.StartLine})
	}
	return facts, nil
}

// readBeginning reads the beginning of a file that is no link: the index does
// not follow one either.
func readBeginning(name string, most int64) ([]byte, error) {
	f, err := repofile.Open(name, repofile.NoLink)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}

// asGlobal marks facts of the user's own memory as such: a person need not
// write it to each.
func asGlobal(facts []prompt.Fact) []prompt.Fact {
	for i := range facts {
		facts[i].Path = globalLabel + facts[i].Path
		facts[i].Namespace = memory.GlobalNamespace
	}
	return facts
}

// namespaces are those whose facts count in a question: the given ones, else
// that of the branch that is checked out and, when a run is gone on with, the
// run's.
func (s *site) namespaces(ctx context.Context, given []string, resumed string) ([]string, error) {
	var list []string
	for _, name := range given {
		ns, err := parseNamespace(name)
		if err == nil {
			ns, err = s.completed(ctx, ns)
		}
		if err != nil {
			return nil, usagef("--namespace %s: %w", name, err)
		}
		list = append(list, ns)
	}
	if len(given) > 0 {
		return list, nil
	}
	if branch, err := s.branch(ctx); err == nil { // without one, none of its facts count
		list = append(list, memory.BranchNamespace+branch)
	}
	if resumed != "" {
		ns, err := s.completed(ctx, memory.RunNamespace+resumed)
		if err != nil {
			return list, err
		}
		list = append(list, ns)
	}
	return list, nil
}
