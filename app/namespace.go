package app

import (
	"context"
	"fmt"
	"strings"

	"agentflow/memory"

	"github.com/spf13/cobra"
)

// completeNamespace offers the namespaces that need no name of their own.
func completeNamespace(cmd *cobra.Command) {
	complete(cmd, "namespace", memory.ProjectName, "branch", memory.GlobalNamespace)
}

// namespaceFlag is the namespace that --namespace names; nil when it was not
// given.
func namespaceFlag(value string) (*string, error) {
	if value == "" {
		return nil, nil
	}
	ns, err := parseNamespace(value)
	if err != nil {
		return nil, usagef("--namespace: %w", err)
	}
	return &ns, nil
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

// completed is a namespace as parseNamespace gives it, with the name of the
// branch that is checked out, or the whole id of a run that was cut to its
// end.
func (s *site) completed(ctx context.Context, ns string) (string, error) {
	if ns == memory.BranchNamespace {
		branch, err := s.branch(ctx)
		return ns + branch, err
	}
	id, ok := strings.CutPrefix(ns, memory.RunNamespace)
	if !ok || len(id) == fullID {
		return ns, nil // a run that goes on is in no entry yet
	}
	f, err := s.find(id, memory.KindRun)
	if err != nil {
		return "", err
	}
	if f.Entry == nil || f.Fact != nil || f.Entry.Kind != memory.KindRun {
		return "", usagef("namespace run/%s: %s is no run", id, memory.ShortID(f.ID))
	}
	return memory.RunNamespace + f.ID, nil
}

// fullID is the length of an id that was not cut.
const fullID = len("01938f6e-0000-7000-8000-000000000000")

// branch is the short name of the branch that is checked out.
func (s *site) branch(ctx context.Context) (string, error) {
	branch := ""
	repo, err := s.repo(ctx)
	if err == nil {
		branch, _, err = repo.Head(ctx)
	}
	if err != nil {
		return "", fmt.Errorf("finding the current branch: %w", err)
	}
	if branch == "" {
		err := usagef("namespace branch: no branch is checked out")
		err.Hint = "name one: branch/NAME"
		return "", err
	}
	return branch, nil
}

// isGlobal says whether the site is the user's own memory.
func (s *site) isGlobal() bool { return s.CommonDir == "" && s.Root == s.dirs.Global().Root }
