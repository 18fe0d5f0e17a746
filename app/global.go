package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"agentflow/config"
	"agentflow/memory"
)

// openGlobal opens the user's own memory, which holds what counts in every
// repository: a memory folder, log, lock and index in the user's data folder.
// It is made only when somebody asks for it by create; without it the memory is
// nil, and that is no error.
func (o *operation) openGlobal(ctx context.Context, create bool) (*openMemory, error) {
	dirs, _ := o.dirs()
	place := dirs.Global()
	switch {
	case place.Root == "" && create:
		return nil, unopened(errors.New("no home folder is known"))
	case place.Root == "" || !create && !isDir(place.Memory()) && !isDir(place.State()):
		return nil, nil
	}
	s, err := o.assembleGlobal(ctx, place, dirs)
	if err != nil {
		return nil, unopened(err)
	}
	if create {
		if err := os.MkdirAll(filepath.Dir(place.Root), 0o700); err != nil {
			return nil, unopened(err)
		}
		if err := s.store.Prepare(); err != nil {
			return nil, unopened(err)
		}
	}
	report, err := s.store.Settle(ctx)
	s.tellReport(report, err)
	return s, nil
}

// assembleGlobal is open with the settings that are the user's alone. What is odd
// in them is said by whoever opens the repository.
func (o *operation) assembleGlobal(ctx context.Context, place config.Place, dirs config.Dirs) (*openMemory, error) {
	settings, _, err := config.Load(o.layers(config.Place{}, dirs))
	if err != nil {
		return nil, err
	}
	settings.Index.Include = nil // names files of repositories
	return o.assemble(ctx, place, dirs, settings)
}

// openOrGlobal opens the repository's memory, or, where there is none, the
// user's own.
func (o *operation) openOrGlobal(ctx context.Context, open func(context.Context) (*openMemory, error)) (*openMemory, error) {
	s, err := open(ctx)
	if err == nil || AsError(err).Kind != KindNoPlace {
		return s, err
	}
	if global, e := o.openGlobal(ctx, false); global != nil && e == nil {
		return global, nil
	}
	return s, err
}

func unopened(err error) error {
	return &Error{Kind: KindRefused, Err: fmt.Errorf("opening your own memory: %w", err),
		Hint: "it is kept in your data folder: set HOME or XDG_DATA_HOME to a folder that can be written"}
}

// findAnywhere is find, in this memory and then in the user's own.
func (s *openMemory) findAnywhere(ctx context.Context, ref string) (*openMemory, storedItem, error) {
	f, err := s.find(ref, "")
	return s.orGlobal(ctx, ref, f, err)
}

// orGlobal is what was found for ref in this memory, or else what the user's
// own has. The error of both is the first one's.
func (s *openMemory) orGlobal(ctx context.Context, ref string, f storedItem, err error) (*openMemory, storedItem, error) {
	if err == nil || isUsage(err) || s.isGlobal() {
		return s, f, err
	}
	global, globalErr := s.openGlobal(ctx, false)
	if globalErr != nil {
		s.warn("%v", globalErr)
	}
	if global != nil {
		if g, e := global.find(ref, ""); e == nil || isUsage(e) {
			return global, g, e
		}
	}
	return s, f, err
}

// openExistingGlobal opens the user's own memory, which has to be there.
func (o *operation) openExistingGlobal(ctx context.Context) (*openMemory, error) {
	s, err := o.openGlobal(ctx, false)
	if s == nil && err == nil {
		err = &Error{Kind: KindRefused, Err: errors.New("reading your own memory: nothing has been remembered in it yet"),
			Hint: "'agentflow remember --namespace global TEXT' begins it"}
	}
	return s, err
}

// openNamespace opens the memory that a namespace, as people write it, is part of: for
// global the user's own, which is made where create says so, else what open
// opens. ns is the namespace in full; nil when none was given.
func (o *operation) openNamespace(ctx context.Context, namespace string, open func(context.Context) (*openMemory, error), create bool) (s *openMemory, ns *string, err error) {
	if ns, err = optionalNamespace(namespace); err != nil {
		return nil, nil, err
	}
	switch {
	case ns == nil || *ns != memory.GlobalNamespace:
		s, err = open(ctx)
	case create:
		s, err = o.openGlobal(ctx, true)
	default:
		s, err = o.openExistingGlobal(ctx)
	}
	if err == nil && ns != nil {
		*ns, err = s.completed(ctx, *ns)
	}
	return s, ns, err
}
