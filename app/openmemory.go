package app

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"agentflow/gitwatch"
	"agentflow/index"
	"agentflow/internal/config"
	"agentflow/internal/embedder"
	"agentflow/internal/plural"
	"agentflow/internal/redact"
	"agentflow/internal/safefile"
	"agentflow/memory"
	"agentflow/memory/digest"
	"agentflow/writeback"
)

// Repo is one opened memory: the place, its settings and the parts that work on it.
type Repo struct {
	*Operation
	config.Place
	Dirs           config.Dirs
	Settings       *config.Config
	Store          *writeback.Store
	Redact         *redact.Redactor
	Failures       failureLog
	unrecordable   atomic.Bool          // the user was warned that failures cannot be recorded
	Progress       func(index.Progress) // receives the progress of indexing; nil: not wanted
	Vectors        embedder.State
	Refuses        func(path string) bool // reports a file that came with the repository and is not accepted; nil: none did
	untrustedCache untrustedCache
	opened         openRepo
	Patient        bool        // a person waits for the result of this command, not an agent
	Wrote          atomic.Bool // entries of commits were written, so the index is behind
}

// Place finds the repository and the user's folders.
func (o *Operation) Place() (config.Place, config.Dirs, error) {
	dirs, err := o.Dirs()
	if err != nil && dirs.Home == "" && !o.quiet {
		o.Warn("%v", err)
	}
	place, err := config.Find(o.Dir, dirs.Home)
	return place, dirs, err
}

// Load reads the settings in force in place and warns of problems in them.
func (o *Operation) Load(place config.Place, dirs config.Dirs) (*config.Config, error) {
	settings, problems, err := config.Load(o.Layers(place, dirs))
	if o.Policy.Team && settings != nil {
		o.Team.adjust(settings)
	}
	for _, p := range problems {
		if !p.Fatal {
			o.Warn("%s", p)
		}
	}
	return settings, err
}

// Layers returns the sources of the settings for a place.
func (o *Operation) Layers(place config.Place, dirs config.Dirs) config.Layers {
	l := config.Layers{UserFile: dirs.ConfigFile(), Environ: o.Environ}
	if place.Root == "" {
		return l
	}
	l.RepoFile = place.ConfigFile()
	if dirs.State != "" {
		sum, err := dirs.Trust().Sum(l.RepoFile)
		if err != nil {
			o.Warn("%v; the repository's settings count as not trusted", err)
		}
		l.Trusted = sum
	}
	return l
}

// LoadOn calls Load for operations that use memory. If memory is switched off, it returns a SwitchedOff error
// together with the settings.
func (o *Operation) LoadOn(place config.Place, dirs config.Dirs) (*config.Config, error) {
	settings, err := o.Load(place, dirs)
	if err != nil {
		return settings, err
	}
	if source, off := settings.MemoryOff(); off {
		pauseNoting(o, place)
		return settings, SwitchedOff(o, source, place)
	}
	if !o.isOn { // written once: a daemon loads the settings again while other goroutines run
		o.isOn = true
	}
	return settings, nil
}

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

// LoadHere reads the settings in force here, and creates their redactor.
func LoadHere(o *Operation) (*config.Config, *redact.Redactor, error) {
	place, dirs, err := o.Place()
	if err != nil {
		return nil, nil, err
	}
	settings, err := o.LoadOn(place, dirs)
	if err != nil {
		return nil, nil, err
	}
	red, err := Redactor(o, settings)
	return settings, red, err
}

// Redactor returns the redactor of the settings.
func Redactor(o *Operation, settings *config.Config) (*redact.Redactor, error) {
	red, err := redact.New(redact.Options{Extra: settings.Redact.Extra, Names: settings.Redact.Names, Env: o.Environ})
	if err != nil {
		return nil, &Error{Kind: KindUsage, Err: fmt.Errorf("reading the settings: %w", err)}
	}
	return red, nil
}

// Degraded warns of failures and records them. The command continues.
func (s *Repo) Degraded(command string, lines []string) {
	lines = withoutCanceled(s.Operation, lines)
	s.Degradations.add(lines)
	for _, line := range lines {
		s.Warn("%s", line)
	}
	if err := s.Failures.add(time.Now(), command, lines); err != nil && !s.unrecordable.Swap(true) {
		s.Warn("recording that: %v", err)
	}
}

// TellReport reports the work on the log to the listener.
func TellReport(s *Repo, report writeback.Report, err error) {
	for _, ref := range report.Finished {
		s.Say("finished writing %s, which an earlier command had left in the log (%s)", memory.ShortID(ref.ID), ref.Title)
	}
	for _, change := range report.Changes {
		s.Say("%s", change)
	}
	if n := len(report.Restored); n > 0 {
		s.Say("restored %s that had vanished from %s", plural.Count(n, "memory file"), s.Memory())
	}
	if len(report.Vanished) > 0 {
		s.Say("%s vanished without forget; 'agentflow status' names them", plural.Count(len(report.Vanished), "entry"))
	}
	lines := report.Degraded
	if err != nil {
		lines = append(lines, err.Error())
	}
	s.Degraded("recover", lines)
}

// StaysInside returns an error if the state folder in git's folder is a link that leads elsewhere.
func StaysInside(place config.Place) error {
	if place.CommonDir != "" && safefile.LeadsOutside(place.State(), place.CommonDir) {
		return &Error{Kind: KindRefused, Err: fmt.Errorf("%s leads outside the repository", place.State()), Hint: "remove that link"}
	}
	return nil
}

// openRepo caches the opened work tree, because opening one that borrows objects takes a git process.
type openRepo struct {
	mu   sync.Mutex
	repo *gitwatch.Repo
}

// Repo opens the work tree for git queries, once. It returns ErrNoGit outside git.
func (s *Repo) Repo(ctx context.Context) (*gitwatch.Repo, error) {
	if s.CommonDir == "" || s.Worktree == "" {
		return nil, ErrNoGit
	}
	s.opened.mu.Lock()
	defer s.opened.mu.Unlock()
	if s.opened.repo != nil {
		return s.opened.repo, nil
	}
	repo, err := gitwatch.Open(ctx, s.Worktree)
	if err == nil {
		s.opened.repo = repo
	}
	return repo, err
}

// repoAt opens the repository of a work tree, which may be the current one.
func repoAt(ctx context.Context, s *Repo, top string) (*gitwatch.Repo, error) {
	if top == s.Worktree {
		return s.Repo(ctx)
	}
	return gitwatch.Open(ctx, top)
}

var ErrNoGit = errors.New("no git work tree here")
