package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"agentflow/internal/config"
	"agentflow/internal/embedder"
	"agentflow/internal/safefile"
	"agentflow/memory/digest"
	"agentflow/writeback"
)

// Opening opens the repository's memory.
type Opening func(ctx context.Context) (*Repo, error)

// OpenRecovered opens the memory of the operation's place, completes the work of crashed commands and reads hand edits.
// It returns an error if there is no memory yet.
func (o *Operation) OpenRecovered(ctx context.Context) (*Repo, error) {
	s, err := o.OpenExisting(ctx)
	if err == nil {
		o.Topics.Recover(ctx, s)
		TellUntrusted(ctx, s)
	}
	return s, err
}

// OpenToRead is OpenRecovered for operations that only read and should be quick.
func (o *Operation) OpenToRead(ctx context.Context) (*Repo, error) {
	s, err := o.OpenExisting(ctx)
	if err == nil {
		o.Topics.CatchUp(ctx, s)
	}
	return s, err
}

// OpenExisting opens a memory without finishing the work of other commands. Without a memory it returns ErrNothing.
func (o *Operation) OpenExisting(ctx context.Context) (*Repo, error) {
	place, dirs, err := o.Place()
	if err != nil {
		return nil, err
	}
	if !place.HasMemory() && !safefile.IsDir(dirs.Fallback(place)) {
		return nil, &Error{Kind: KindNoPlace,
			Err:  fmt.Errorf("%w in %s yet", ErrNothing, place.Root),
			Hint: howToBegin(o)}
	}
	return OpenPlace(ctx, o, place, dirs)
}

// OpenOrNew is OpenExisting for queries that git can answer too: a place without memory has an empty one, which is not
// created, and a notice says so.
func (o *Operation) OpenOrNew(ctx context.Context) (*Repo, error) {
	s, err := o.OpenExisting(ctx)
	if !errors.Is(err, ErrNothing) {
		return s, err
	}
	o.OrNothing(&err)
	place, dirs, err := o.Place()
	if err != nil {
		return nil, err
	}
	o.Topics.CatchUp = func(context.Context, *Repo) {} // which would write files of a memory
	return OpenPlace(ctx, o, place, dirs)
}

// ErrNothing reports that a place has no memory yet.
var ErrNothing = errors.New("nothing has been remembered")

// OrNothing turns the error of a place without memory into an empty answer, and reports the reason as a notice. It is
// for queries of memory. Operations that name an item of it must fail instead.
func (o *Operation) OrNothing(err *error) {
	if errors.Is(*err, ErrNothing) {
		known := AsError(*err)
		o.notify(Event{Kind: EventNotice, Text: known.Err.Error(), Empty: true})
		o.Hint("%s", known.Hint)
		*err = nil
	}
}

// Assemble creates a Repo from its parts. It writes nothing.
func (o *Operation) Assemble(ctx context.Context, place config.Place, dirs config.Dirs, settings *config.Config) (*Repo, error) {
	if err := StaysInside(place); err != nil {
		return nil, fmt.Errorf("opening memory: %w", err)
	}
	red, err := Redactor(o, settings)
	if err != nil {
		return nil, err
	}
	if o.Notices == nil {
		o.Notices = &embedder.Notices{}
	}
	s := &Repo{Operation: o, Place: place, Dirs: dirs, Settings: settings, Redact: red, Vectors: embedder.State{Notices: o.Notices},
		Failures: failureLog{[]string{place.State(), dirs.Fallback(place)}}}
	s.Refuses = func(path string) bool { return UntrustedPart(ctx, s).trackedFile(path) }
	s.Store, err = writeback.Open(writeback.Options{
		Memory: place.Memory(), State: place.State(), Fallback: dirs.Fallback(place),
		Now: time.Now, LockWait: o.LockWait, EditWait: o.EditWait, Same: makesNeedless,
		Untrusted: func(file string) bool { return s.Refuses("memory/" + file) }, Holding: func(ctx context.Context, names ...digest.Name) func(name string) bool {
			return o.Topics.Holding(ctx, s, names...)
		},
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// StaysInside returns an error if the state folder in git's folder is a link that leads elsewhere.
func StaysInside(place config.Place) error {
	if place.CommonDir != "" && safefile.LeadsOutside(place.State(), place.CommonDir) {
		return &Error{Kind: KindRefused, Err: fmt.Errorf("%s leads outside the repository", place.State()), Hint: "remove that link"}
	}
	return nil
}
