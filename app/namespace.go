package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"agentflow/internal/config"
	"agentflow/internal/safefile"
)

// IsGlobal reports whether this memory is the user's own memory.
func (s *Repo) IsGlobal() bool { return s.CommonDir == "" && s.Root == s.Dirs.Global().Root }

// errNoGlobal refuses the user's own memory on a team's server, which has no user.
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
	if !o.Policy.HasOwnMemory() {
		return nil, nil
	}
	dirs, _ := o.Dirs()
	place := dirs.Global()
	if place.Root == "" || !safefile.IsDir(place.Memory()) && !safefile.IsDir(place.State()) {
		return nil, nil
	}
	return AssembleGlobal(ctx, o, place, dirs)
}

// madeGlobal opens the user's own memory, and creates it if necessary.
func madeGlobal(ctx context.Context, o *Operation) (*Repo, error) {
	if err := On(o); err != nil {
		return nil, err
	}
	if !o.Policy.HasOwnMemory() {
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
	if err := s.Store.Folder.Prepare(); err != nil {
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

// OpenExistingGlobal opens the user's own memory, and returns an error if it does not exist.
func OpenExistingGlobal(ctx context.Context, o *Operation) (*Repo, error) {
	s, err := o.OpenGlobal(ctx, false)
	switch {
	case s != nil || err != nil:
	case !o.Policy.HasOwnMemory():
		err = errNoGlobal
	default:
		err = &Error{Kind: KindRefused, Err: fmt.Errorf("reading your own memory: %w in it yet", ErrNothing),
			Hint: "'agentflow remember --namespace global TEXT' begins it"}
	}
	return s, err
}
