package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"agentflow/config"
	"agentflow/memory"
)

// searchedNamespaces lists the namespaces to search: the team's, and the given ones. Without given ones it adds the current
// branch and, if a run is resumed, that run.
func searchedNamespaces(ctx context.Context, s *openMemory, given []string, resumed string) ([]string, error) {
	list := []string{memory.TeamNamespace}
	for _, name := range given {
		ns, err := parseNamespace(name)
		if err != nil {
			return nil, usagef("namespace %s: %w", name, err)
		}
		if ns, err = completed(ctx, s, ns); err != nil {
			return nil, &Error{Kind: KindUsage, Err: err, Hint: AsError(err).Hint}
		}
		list = append(list, ns)
	}
	if len(given) > 0 {
		return list, nil
	}
	if branch, err := branch(ctx, s); err == nil { // without a branch there are no facts of one
		list = append(list, memory.BranchNamespace+branch)
	}
	if resumed != "" {
		ns, err := completed(ctx, s, memory.RunNamespace+resumed)
		if err != nil {
			return list, err
		}
		list = append(list, ns)
	}
	return list, nil
}

// completed fills in a namespace from parseNamespace: the name of the current branch, or the full id of a run.
func completed(ctx context.Context, s *openMemory, ns string) (string, error) {
	id, ofRun := strings.CutPrefix(ns, memory.RunNamespace)
	whole, err := ns, error(nil)
	switch {
	case ns == memory.BranchNamespace:
		whole, err = branch(ctx, s)
		whole = ns + whole
	case ofRun && len(id) != fullID: // a full id is not looked up: an active run has no entry yet
		whole, err = runID(ctx, s, id)
		whole = memory.RunNamespace + whole
	}
	if err != nil {
		cause := AsError(err)
		return "", &Error{Kind: cause.Kind, Err: fmt.Errorf("namespace %s: %w", strings.TrimSuffix(ns, "/"), err), Hint: cause.Hint}
	}
	return whole, nil
}

// runID returns the id of the run or session that a reference names.
func runID(ctx context.Context, s *openMemory, ref string) (string, error) {
	item, err := find(ctx, s, ref, runKinds...)
	if err != nil {
		return "", err
	}
	if item.Entry == nil || item.Fact != nil || !item.Entry.Kind.ByAgent() {
		return "", usagef("%s is no run", ref)
	}
	return item.ID, nil
}

// fullID is the length of a complete id.
const fullID = len("01938f6e-0000-7000-8000-000000000000")

// branch returns the short name of the current branch.
func branch(ctx context.Context, s *openMemory) (string, error) {
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

// isGlobal reports whether this memory is the user's own memory.
func (s *openMemory) isGlobal() bool { return s.CommonDir == "" && s.Root == s.dirs.Global().Root }

// errNoGlobal is the error for the user's own memory on a team's server, which has no user.
var errNoGlobal = &Error{Kind: KindRefused, Err: errors.New("a team's server has no memory of a user's own, which namespace global names"), Hint: "leave the namespace out, or store it on your own machine"}

// openGlobal opens the user's own memory. It holds the facts for every repository, with a memory folder, log, lock and
// index in the user's data folder. If it does not exist, openGlobal creates it if create is set, and otherwise returns
// nil without an error. On a team's server it returns nil, or errNoGlobal if create is set.
func (o *operation) openGlobal(ctx context.Context, create bool) (s *openMemory, err error) {
	if create {
		s, err = madeGlobal(ctx, o)
	} else {
		s, err = existingGlobal(ctx, o)
	}
	if s == nil || err != nil {
		return nil, err
	}
	report, err := s.store.Settle(ctx)
	tellReport(s, report, err)
	return s, nil
}

// existingGlobal is openGlobal without create. It does not wait for other commands that write there, so entries of
// their log may not be in Markdown yet.
func existingGlobal(ctx context.Context, o *operation) (*openMemory, error) {
	if err := on(o); err != nil {
		return nil, err
	}
	if o.team != nil {
		return nil, nil
	}
	dirs, _ := o.dirs()
	place := dirs.Global()
	if place.Root == "" || !isDir(place.Memory()) && !isDir(place.State()) {
		return nil, nil
	}
	return assembleGlobal(ctx, o, place, dirs)
}

// madeGlobal opens the user's own memory, and creates it if necessary.
func madeGlobal(ctx context.Context, o *operation) (*openMemory, error) {
	if err := on(o); err != nil {
		return nil, err
	}
	if o.team != nil {
		return nil, errNoGlobal
	}
	dirs, _ := o.dirs()
	place := dirs.Global()
	if place.Root == "" {
		return nil, unopened(errors.New("no home folder is known"))
	}
	s, err := assembleGlobal(ctx, o, place, dirs)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(place.Root), 0o700); err != nil {
		return nil, unopened(err)
	}
	if err := s.store.Prepare(); err != nil {
		return nil, unopened(err)
	}
	return s, nil
}

// assembleGlobal assembles the user's own memory with only the user's settings. It reports no problems in them, because
// opening the repository reports them.
func assembleGlobal(ctx context.Context, o *operation, place config.Place, dirs config.Dirs) (*openMemory, error) {
	settings, _, err := config.Load(o.layers(config.Place{}, dirs))
	if err != nil {
		return nil, unopened(err)
	}
	settings.Index.Include = nil // it names files of repositories
	s, err := o.assemble(ctx, place, dirs, settings)
	if err != nil {
		return nil, unopened(err)
	}
	return s, nil
}

// openWhole opens the memory of a namespace, project or global. what names the caller's data in the error.
func openWhole(ctx context.Context, o *operation, namespace, what string) (*openMemory, error) {
	switch namespace {
	case memory.ProjectNamespace:
		return o.openRecovered(ctx)
	case memory.GlobalNamespace:
		return openExistingGlobal(ctx, o)
	}
	return nil, usagef("namespace %s: %s is of a whole memory: the repository's, or global", namespace, what)
}

// openOrGlobal opens the repository's memory, or the user's own if there is none.
func (o *operation) openOrGlobal(ctx context.Context, open opening) (*openMemory, error) {
	s, err := open(ctx)
	if err == nil || AsError(err).Kind != KindNoPlace {
		return s, err
	}
	if global, e := o.openGlobal(ctx, false); global != nil && e == nil {
		return global, nil
	}
	return s, err
}

// andGlobal returns this memory and, if it is another one, the user's own. It warns if that cannot be opened.
func (s *openMemory) andGlobal(ctx context.Context) []*openMemory {
	list := []*openMemory{s}
	if !s.isGlobal() {
		global, err := s.openGlobal(ctx, false)
		if err != nil {
			s.warn("%v", err)
		}
		if global != nil {
			list = append(list, global)
		}
	}
	return list
}

func unopened(err error) error {
	return &Error{Kind: KindRefused, Err: fmt.Errorf("opening your own memory: %w", err),
		Hint: "it is kept in your data folder: set HOME or XDG_DATA_HOME to a folder that can be written"}
}

// findAnywhere is find in this memory, then in the user's own, then in the items that others share here (see
// storedBlock.Author).
func findAnywhere(ctx context.Context, s *openMemory, ref string) (*openMemory, storedItem, error) {
	f, err := find(ctx, s, ref)
	return orGlobal(ctx, s, ref, f, err)
}

// orGlobal returns the item found for ref in this memory, else in the user's own, else among the items that others
// share. If none has it, the error is the first one.
func orGlobal(ctx context.Context, s *openMemory, ref string, f storedItem, err error) (*openMemory, storedItem, error) {
	if err == nil || isUsage(err) {
		return s, f, err
	}
	for _, global := range s.andGlobal(ctx)[1:] {
		if g, e := find(ctx, global, ref); e == nil || isUsage(e) {
			return global, g, e
		}
	}
	for _, home := range s.andGlobal(ctx) {
		if g, e := findShared(ctx, home, ref); e == nil || isUsage(e) {
			return home, g, e
		}
	}
	return s, f, err
}

// openExistingGlobal opens the user's own memory, and returns an error if it does not exist.
func openExistingGlobal(ctx context.Context, o *operation) (*openMemory, error) {
	s, err := o.openGlobal(ctx, false)
	switch {
	case s != nil || err != nil:
	case o.team != nil:
		err = errNoGlobal
	default:
		err = &Error{Kind: KindRefused, Err: fmt.Errorf("reading your own memory: %w in it yet", errNothing),
			Hint: "'agentflow remember --namespace global TEXT' begins it"}
	}
	return s, err
}

// openNamespace opens the memory of a namespace that people write. For global it opens the user's own memory, and
// creates it if create is set. Otherwise it calls open. ns is the complete namespace, or nil if namespace is empty.
func openNamespace(ctx context.Context, o *operation, namespace string, open opening, create bool) (s *openMemory, ns *string, err error) {
	if namespace != "" {
		parsed, err := parseNamespace(namespace)
		if err != nil {
			return nil, nil, usagef("namespace: %w", err)
		}
		ns = &parsed
	}
	switch {
	case ns == nil || *ns != memory.GlobalNamespace:
		s, err = open(ctx)
	case create:
		s, err = o.openGlobal(ctx, true)
	default:
		s, err = openExistingGlobal(ctx, o)
	}
	if err == nil && ns != nil {
		*ns, err = completed(ctx, s, *ns)
	}
	return s, ns, err
}
