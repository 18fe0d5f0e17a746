package lookup

import (
	"context"
	"fmt"
	"strings"

	"agentflow/app"
	"agentflow/memory"
)

// SearchedNamespaces lists the namespaces to search: the team's, and the given ones. Without given ones it adds the current
// branch and, if a run is resumed, that run.
func SearchedNamespaces(ctx context.Context, s *app.Repo, given []string, resumed string) ([]string, error) {
	list := []string{memory.TeamNamespace}
	for _, name := range given {
		ns, err := ParseNamespace(name)
		if err != nil {
			return nil, app.Usagef("namespace %s: %w", name, err)
		}
		if ns, err = Completed(ctx, s, ns); err != nil {
			return nil, &app.Error{Kind: app.KindUsage, Err: err, Hint: app.AsError(err).Hint}
		}
		list = append(list, ns)
	}
	if len(given) > 0 {
		return list, nil
	}
	if branch, err := Branch(ctx, s); err == nil { // without a branch there are no facts of one
		list = append(list, memory.BranchNamespace+branch)
	}
	if resumed != "" {
		ns, err := Completed(ctx, s, memory.RunNamespace+resumed)
		if err != nil {
			return list, err
		}
		list = append(list, ns)
	}
	return list, nil
}

// Completed fills in a namespace from ParseNamespace: the name of the current branch, or the full id of a run.
func Completed(ctx context.Context, s *app.Repo, ns string) (string, error) {
	id, ofRun := strings.CutPrefix(ns, memory.RunNamespace)
	whole, err := ns, error(nil)
	switch {
	case ns == memory.BranchNamespace:
		whole, err = Branch(ctx, s)
		whole = ns + whole
	case ofRun && len(id) != FullID: // a full id is not looked up: an active run has no entry yet
		whole, err = RunID(ctx, s, id)
		whole = memory.RunNamespace + whole
	}
	if err != nil {
		cause := app.AsError(err)
		return "", &app.Error{Kind: cause.Kind, Err: fmt.Errorf("namespace %s: %w", strings.TrimSuffix(ns, "/"), err), Hint: cause.Hint}
	}
	return whole, nil
}

// RunID returns the id of the run or session that a reference names.
func RunID(ctx context.Context, s *app.Repo, ref string) (string, error) {
	item, err := Find(ctx, s, ref, RunKinds...)
	if err != nil {
		return "", err
	}
	if item.Entry == nil || item.Fact != nil || !item.Entry.Kind.ByAgent() {
		return "", app.Usagef("%s is no run", ref)
	}
	return item.ID, nil
}

// FindAnywhere is find in this memory, then in the user's own, then in the items that others share here (see
// StoredBlock.Author).
func FindAnywhere(ctx context.Context, s *app.Repo, ref string) (*app.Repo, StoredItem, error) {
	f, err := Find(ctx, s, ref)
	return OrGlobal(ctx, s, ref, f, err)
}

// OrGlobal returns the item found for ref in this memory, else in the user's own, else among the items that others
// share. If none has it, the error is the first one.
func OrGlobal(ctx context.Context, s *app.Repo, ref string, f StoredItem, err error) (*app.Repo, StoredItem, error) {
	if err == nil || app.IsUsage(err) {
		return s, f, err
	}
	for _, global := range s.AndGlobal(ctx)[1:] {
		if g, e := Find(ctx, global, ref); e == nil || app.IsUsage(e) {
			return global, g, e
		}
	}
	for _, home := range s.AndGlobal(ctx) {
		if g, e := findShared(ctx, home, ref); e == nil || app.IsUsage(e) {
			return home, g, e
		}
	}
	return s, f, err
}

// OpenNamespace opens the memory of a namespace that people write. For global it opens the user's own memory, and
// creates it if create is set. Otherwise it calls open. ns is the complete namespace, or nil if namespace is empty.
func OpenNamespace(ctx context.Context, o *app.Operation, namespace string, open app.Opening, create bool) (s *app.Repo, ns *string, err error) {
	if namespace != "" {
		parsed, err := ParseNamespace(namespace)
		if err != nil {
			return nil, nil, app.Usagef("namespace: %w", err)
		}
		ns = &parsed
	}
	switch {
	case ns == nil || *ns != memory.GlobalNamespace:
		s, err = open(ctx)
	case create:
		s, err = o.OpenGlobal(ctx, true)
	default:
		s, err = app.OpenExistingGlobal(ctx, o)
	}
	if err == nil && ns != nil {
		*ns, err = Completed(ctx, s, *ns)
	}
	return s, ns, err
}
