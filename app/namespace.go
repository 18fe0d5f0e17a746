package app

import (
	"context"
	"fmt"
	"strings"

	"agentflow/memory"
)

// optionalNamespace is the namespace of a request; nil where it gives none.
func optionalNamespace(value string) (*string, error) {
	if value == "" {
		return nil, nil
	}
	ns, err := parseNamespace(value)
	if err != nil {
		return nil, usagef("namespace: %w", err)
	}
	return &ns, nil
}

// namespaces are those whose facts count in a query: the given ones, else that
// of the branch that is checked out and, when a run is resumed, the run's.
func (s *openMemory) namespaces(ctx context.Context, given []string, resumed string) ([]string, error) {
	var list []string
	for _, name := range given {
		ns, err := parseNamespace(name)
		if err != nil {
			return nil, usagef("namespace %s: %w", name, err)
		}
		if ns, err = s.completed(ctx, ns); err != nil {
			return nil, &Error{Kind: KindUsage, Err: err, Hint: AsError(err).Hint}
		}
		list = append(list, ns)
	}
	if len(given) > 0 {
		return list, nil
	}
	if branch, err := s.branch(ctx); err == nil { // without a branch there are no facts of it
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

// completed is a namespace, as parseNamespace gives it, with the name of the
// branch that is checked out, or with the whole id of its run.
func (s *openMemory) completed(ctx context.Context, ns string) (string, error) {
	id, ofRun := strings.CutPrefix(ns, memory.RunNamespace)
	whole, err := ns, error(nil)
	switch {
	case ns == memory.BranchNamespace:
		whole, err = s.branch(ctx)
		whole = ns + whole
	case ofRun && len(id) != fullID: // no entry holds a run that is still going on
		whole, err = s.runID(id)
		whole = memory.RunNamespace + whole
	}
	if err != nil {
		known := AsError(err)
		return "", &Error{Kind: known.Kind, Err: fmt.Errorf("namespace %s: %w", strings.TrimSuffix(ns, "/"), err), Hint: known.Hint}
	}
	return whole, nil
}

// runID is the id of the run that a reference names.
func (s *openMemory) runID(ref string) (string, error) {
	item, err := s.find(ref, memory.KindRun)
	if err != nil {
		return "", err
	}
	if item.Entry == nil || item.Fact != nil || item.Entry.Kind != memory.KindRun {
		return "", usagef("%s is no run", ref)
	}
	return item.ID, nil
}

// fullID is the length of an id that was not cut.
const fullID = len("01938f6e-0000-7000-8000-000000000000")

// branch is the short name of the branch that is checked out.
func (s *openMemory) branch(ctx context.Context) (string, error) {
	branch := ""
	repo, err := s.repo(ctx)
	if err == nil {
		branch, _, err = repo.Head(ctx)
	}
	if err != nil {
		return "", fmt.Errorf("finding the current branch: %w", err)
	}
	if branch == "" {
		err := usagef("no branch is checked out")
		err.Hint = "name one: branch/NAME"
		return "", err
	}
	return branch, nil
}

// isGlobal says whether this memory is the user's own memory.
func (s *openMemory) isGlobal() bool { return s.CommonDir == "" && s.Root == s.dirs.Global().Root }
