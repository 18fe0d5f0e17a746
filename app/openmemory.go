package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"agentflow/gitwatch"
	"agentflow/index"
	"agentflow/internal/agentdocs"
	"agentflow/internal/config"
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
	Vectors        vectors
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
	if o.Team != nil && settings != nil {
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

// LoadOn is Load for operations that use memory. If memory is switched off, it returns a SwitchedOff error together
// with the settings.
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
			Err:  fmt.Errorf("reading memory: %w in %s yet", ErrNothing, place.Root),
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
		o.Say("%v", known.Err)
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
		o.Notices = &notices{}
	}
	s := &Repo{Operation: o, Place: place, Dirs: dirs, Settings: settings, Redact: red, Vectors: vectors{Notices: o.Notices},
		Failures: failureLog{[]string{place.State(), dirs.Fallback(place)}}}
	s.Refuses = func(path string) bool { return UntrustedPart(ctx, s).trackedFile(path) }
	s.Store, err = writeback.Open(writeback.Options{
		Memory: place.Memory(), State: place.State(), Fallback: dirs.Fallback(place),
		Now: time.Now, LockWait: o.LockWait, EditWait: o.EditWait, Same: makesNeedless,
		Untrusted: func(file string) bool { return s.Refuses("memory/" + file) }, Holding: func(ctx context.Context, names ...digest.Name) func(name string) bool {
			return Holding(ctx, s, names...)
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

// WithSynced updates the index as far as that is quick, and then runs use on it. The lines report parts that are not up
// to date. The error comes from opening the index or from use.
func WithSynced(ctx context.Context, s *Repo, use func(*OpenIndex) error) (degraded []string, err error) {
	listed := index.List(ctx, s.Sources(ctx)...)
	notices, err := s.WithIndex(ctx, func(db *OpenIndex) error {
		report, err := db.SyncSome(ctx, listed)
		degraded = NotInStep(report, err)
		return use(db)
	})
	return append(notices, degraded...), err
}

// NotInStep lists the differences between the index and the files.
func NotInStep(report index.SyncReport, err error) []string {
	lines := report.Skipped
	if report.Left > 0 {
		lines = append(lines, fmt.Sprintf(indexBehind+"%s of memory changed and will be read by the next commands, or by 'agentflow index'", plural.Count(report.Left, "file")))
	}
	if err != nil {
		lines = append(lines, fmt.Sprintf("bringing the index up to date: %v", err))
	}
	return lines
}

// indexBehind is the start of the line which reports that there was no time to read all changed files.
const indexBehind = "the index is not up to date: "

// IsIndexBehind reports whether a line of Degraded says that the index is not up to date.
func IsIndexBehind(line string) bool { return strings.HasPrefix(line, indexBehind) }

// Reindex updates the index after an edit.
func Reindex(ctx context.Context, s *Repo, command string) {
	degraded, err := WithSynced(ctx, s, func(*OpenIndex) error { return nil })
	s.Degraded(command, AppendError(degraded, err))
}

// Sources lists the folders with Markdown to index.
func (s *Repo) Sources(ctx context.Context) []index.Source {
	sources := []index.Source{memorySource(ctx, s)}
	bare := s.CommonDir != "" && s.Worktree == ""
	in := s.Settings.Index
	files := slices.DeleteFunc(slices.Clone(in.Include), func(p string) bool { return p == agentdocs.AutoMemory })
	if len(files) > 0 && !bare {
		sources = append(sources, index.Source{Dir: filepath.Dir(s.Root), Included: true, Include: files, Ignore: in.Ignore})
	}
	if dir := autoFolder(s); dir != "" {
		sources = append(sources, index.Source{Dir: dir, Prefix: AutoPrefix, Included: true, Include: []string{"*.md"}})
	}
	return append(sources, SharedSources(s)...)
}

// memorySource returns the memory folder as a source.
func memorySource(ctx context.Context, s *Repo) index.Source {
	b := UntrustedPart(ctx, s)
	source := index.Source{Dir: s.Memory(), Prefix: "memory/", Untrusted: func(rel string) bool { return b.File("memory/" + rel) }}
	if b.Outside {
		source.Dir = "" // read nothing there
	}
	return source
}

// Ignored reports whether a path of the work tree is excluded from memory.
func Ignored(s *Repo, path string) bool { return index.Ignored(s.Settings.Index.Ignore, path) }

// StaysInside returns an error if the state folder in git's folder is a link that leads elsewhere.
func StaysInside(place config.Place) error {
	if place.CommonDir != "" && safefile.LeadsOutside(place.State(), place.CommonDir) {
		return &Error{Kind: KindRefused, Err: fmt.Errorf("%s leads outside the repository", place.State()), Hint: "remove that link"}
	}
	return nil
}

// Exists reports whether the work tree holds a path that an entry names.
func Exists(s *Repo, path string) bool {
	path = filepath.FromSlash(path)
	if !filepath.IsLocal(path) {
		return false
	}
	_, err := os.Lstat(filepath.Join(cmp.Or(s.Worktree, s.Root), path))
	return err == nil
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

// FlagKey is a flag and the setting that its text overrides. An empty text leaves the setting as it is.
type FlagKey struct{ Flag, Key, Text string }

// Overlay sets the settings that flags override.
func Overlay(settings *config.Config, flags ...FlagKey) error {
	for _, f := range flags {
		if f.Text == "" {
			continue
		}
		if p := settings.SetText("--"+f.Flag, f.Key, f.Text); p != nil {
			return Usagef("--%s: %s", f.Flag, p.Message)
		}
	}
	return nil
}
