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

// SearchedNamespaces lists the namespaces to search: the team's, and the given ones. Without given ones it adds the current
// branch and, if a run is resumed, that run.
func SearchedNamespaces(ctx context.Context, s *Repo, given []string, resumed string) ([]string, error) {
	list := []string{memory.TeamNamespace}
	for _, name := range given {
		ns, err := ParseNamespace(name)
		if err != nil {
			return nil, Usagef("namespace %s: %w", name, err)
		}
		if ns, err = Completed(ctx, s, ns); err != nil {
			return nil, &Error{Kind: KindUsage, Err: err, Hint: AsError(err).Hint}
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
func Completed(ctx context.Context, s *Repo, ns string) (string, error) {
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
		cause := AsError(err)
		return "", &Error{Kind: cause.Kind, Err: fmt.Errorf("namespace %s: %w", strings.TrimSuffix(ns, "/"), err), Hint: cause.Hint}
	}
	return whole, nil
}

// RunID returns the id of the run or session that a reference names.
func RunID(ctx context.Context, s *Repo, ref string) (string, error) {
	item, err := Find(ctx, s, ref, RunKinds...)
	if err != nil {
		return "", err
	}
	if item.Entry == nil || item.Fact != nil || !item.Entry.Kind.ByAgent() {
		return "", Usagef("%s is no run", ref)
	}
	return item.ID, nil
}

// FullID is the length of a complete id.
const FullID = len("01938f6e-0000-7000-8000-000000000000")

// Branch returns the short name of the current branch.
func Branch(ctx context.Context, s *Repo) (string, error) {
	branch := ""
	repo, err := s.Repo(ctx)
	if err == nil {
		branch, _, err = repo.Head(ctx)
	}
	if err != nil {
		return "", fmt.Errorf("finding the current branch: %w", err)
	}
	if branch == "" {
		err := Usagef("no branch is checked out")
		err.Hint = "name one: branch/NAME"
		return "", err
	}
	return branch, nil
}

// IsGlobal reports whether this memory is the user's own memory.
func (s *Repo) IsGlobal() bool { return s.CommonDir == "" && s.Root == s.Dirs.Global().Root }

// errNoGlobal is the error for the user's own memory on a team's server, which has no user.
var errNoGlobal = &Error{Kind: KindRefused, Err: errors.New("a team's server has no memory of a user's own, which namespace global names"), Hint: "leave the namespace out, or store it on your own machine"}

// OpenGlobal opens the user's own memory. It holds the facts for every repository, with a memory folder, log, lock and
// index in the user's data folder. If it does not exist, OpenGlobal creates it if create is set, and otherwise returns
// nil without an error. On a team's server it returns nil, or errNoGlobal if create is set.
func (o *Operation) OpenGlobal(ctx context.Context, create bool) (s *Repo, err error) {
	if create {
		s, err = madeGlobal(ctx, o)
	} else {
		s, err = ExistingGlobal(ctx, o)
	}
	if s == nil || err != nil {
		return nil, err
	}
	report, err := s.Store.Settle(ctx)
	TellReport(s, report, err)
	return s, nil
}

// ExistingGlobal is OpenGlobal without create. It does not wait for other commands that write there, so entries of
// their log may not be in Markdown yet.
func ExistingGlobal(ctx context.Context, o *Operation) (*Repo, error) {
	if err := On(o); err != nil {
		return nil, err
	}
	if o.Team != nil {
		return nil, nil
	}
	dirs, _ := o.Dirs()
	place := dirs.Global()
	if place.Root == "" || !IsDir(place.Memory()) && !IsDir(place.State()) {
		return nil, nil
	}
	return AssembleGlobal(ctx, o, place, dirs)
}

// madeGlobal opens the user's own memory, and creates it if necessary.
func madeGlobal(ctx context.Context, o *Operation) (*Repo, error) {
	if err := On(o); err != nil {
		return nil, err
	}
	if o.Team != nil {
		return nil, errNoGlobal
	}
	dirs, _ := o.Dirs()
	place := dirs.Global()
	if place.Root == "" {
		return nil, unopened(errors.New("no home folder is known"))
	}
	s, err := AssembleGlobal(ctx, o, place, dirs)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(place.Root), 0o700); err != nil {
		return nil, unopened(err)
	}
	if err := s.Store.Prepare(); err != nil {
		return nil, unopened(err)
	}
	return s, nil
}

// AssembleGlobal assembles the user's own memory with only the user's settings. It reports no problems in them, because
// opening the repository reports them.
func AssembleGlobal(ctx context.Context, o *Operation, place config.Place, dirs config.Dirs) (*Repo, error) {
	settings, _, err := config.Load(o.Layers(config.Place{}, dirs))
	if err != nil {
		return nil, unopened(err)
	}
	settings.Index.Include = nil // it names files of repositories
	s, err := o.Assemble(ctx, place, dirs, settings)
	if err != nil {
		return nil, unopened(err)
	}
	return s, nil
}

// OpenWhole opens the memory of a namespace, project or global. what names the caller's data in the error.
func OpenWhole(ctx context.Context, o *Operation, namespace, what string) (*Repo, error) {
	switch namespace {
	case memory.ProjectNamespace:
		return o.OpenRecovered(ctx)
	case memory.GlobalNamespace:
		return OpenExistingGlobal(ctx, o)
	}
	return nil, Usagef("namespace %s: %s is of a whole memory: the repository's, or global", namespace, what)
}

// OpenOrGlobal opens the repository's memory, or the user's own if there is none.
func (o *Operation) OpenOrGlobal(ctx context.Context, open Opening) (*Repo, error) {
	s, err := open(ctx)
	if err == nil || AsError(err).Kind != KindNoPlace {
		return s, err
	}
	if global, e := o.OpenGlobal(ctx, false); global != nil && e == nil {
		return global, nil
	}
	return s, err
}

// AndGlobal returns this memory and, if it is another one, the user's own. It warns if that cannot be opened.
func (s *Repo) AndGlobal(ctx context.Context) []*Repo {
	list := []*Repo{s}
	if !s.IsGlobal() {
		global, err := s.OpenGlobal(ctx, false)
		if err != nil {
			s.Warn("%v", err)
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

// FindAnywhere is find in this memory, then in the user's own, then in the items that others share here (see
// StoredBlock.Author).
func FindAnywhere(ctx context.Context, s *Repo, ref string) (*Repo, StoredItem, error) {
	f, err := Find(ctx, s, ref)
	return OrGlobal(ctx, s, ref, f, err)
}

// OrGlobal returns the item found for ref in this memory, else in the user's own, else among the items that others
// share. If none has it, the error is the first one.
func OrGlobal(ctx context.Context, s *Repo, ref string, f StoredItem, err error) (*Repo, StoredItem, error) {
	if err == nil || IsUsage(err) {
		return s, f, err
	}
	for _, global := range s.AndGlobal(ctx)[1:] {
		if g, e := Find(ctx, global, ref); e == nil || IsUsage(e) {
			return global, g, e
		}
	}
	for _, home := range s.AndGlobal(ctx) {
		if g, e := findShared(ctx, home, ref); e == nil || IsUsage(e) {
			return home, g, e
		}
	}
	return s, f, err
}

// OpenExistingGlobal opens the user's own memory, and returns an error if it does not exist.
func OpenExistingGlobal(ctx context.Context, o *Operation) (*Repo, error) {
	s, err := o.OpenGlobal(ctx, false)
	switch {
	case s != nil || err != nil:
	case o.Team != nil:
		err = errNoGlobal
	default:
		err = &Error{Kind: KindRefused, Err: fmt.Errorf("reading your own memory: %w in it yet", ErrNothing),
			Hint: "'agentflow remember --namespace global TEXT' begins it"}
	}
	return s, err
}

// OpenNamespace opens the memory of a namespace that people write. For global it opens the user's own memory, and
// creates it if create is set. Otherwise it calls open. ns is the complete namespace, or nil if namespace is empty.
func OpenNamespace(ctx context.Context, o *Operation, namespace string, open Opening, create bool) (s *Repo, ns *string, err error) {
	if namespace != "" {
		parsed, err := ParseNamespace(namespace)
		if err != nil {
			return nil, nil, Usagef("namespace: %w", err)
		}
		ns = &parsed
	}
	switch {
	case ns == nil || *ns != memory.GlobalNamespace:
		s, err = open(ctx)
	case create:
		s, err = o.OpenGlobal(ctx, true)
	default:
		s, err = OpenExistingGlobal(ctx, o)
	}
	if err == nil && ns != nil {
		*ns, err = Completed(ctx, s, *ns)
	}
	return s, ns, err
}
