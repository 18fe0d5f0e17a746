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

	"agentflow/agentdocs"
	"agentflow/config"
	"agentflow/gitwatch"
	"agentflow/index"
	"agentflow/internal/plural"
	"agentflow/internal/redact"
	"agentflow/memory"
	"agentflow/memory/digest"
	"agentflow/writeback"
)

// openMemory is one opened memory: the place, its settings and the parts that work on it.
type openMemory struct {
	*operation
	config.Place
	dirs           config.Dirs
	settings       *config.Config
	store          *writeback.Store
	redact         *redact.Redactor
	failures       failureLog
	unrecordable   atomic.Bool          // the user was warned that failures cannot be recorded
	progress       func(index.Progress) // receives the progress of indexing; nil: not wanted
	vectors        vectors
	refuses        func(path string) bool // reports a file that came with the repository and is not accepted; nil: none did
	untrustedCache untrustedCache
	opened         openRepo
	patient        bool        // a person waits for the result of this command, not an agent
	wrote          atomic.Bool // entries of commits were written, so the index is behind
}

func (o *operation) place() (config.Place, config.Dirs, error) {
	dirs, err := o.dirs()
	if err != nil && dirs.Home == "" && !o.quiet {
		o.warn("%v", err)
	}
	place, err := config.Find(o.dir, dirs.Home)
	return place, dirs, err
}

// load reads the settings in force in place and warns of problems in them.
func (o *operation) load(place config.Place, dirs config.Dirs) (*config.Config, error) {
	settings, problems, err := config.Load(o.layers(place, dirs))
	if o.team != nil && settings != nil {
		o.team.adjust(settings)
	}
	for _, p := range problems {
		if !p.Fatal {
			o.warn("%s", p)
		}
	}
	return settings, err
}

func (o *operation) layers(place config.Place, dirs config.Dirs) config.Layers {
	l := config.Layers{UserFile: dirs.ConfigFile(), Environ: o.environ}
	if place.Root == "" {
		return l
	}
	l.RepoFile = place.ConfigFile()
	if dirs.State != "" {
		sum, err := dirs.Trust().Sum(l.RepoFile)
		if err != nil {
			o.warn("%v; the repository's settings count as not trusted", err)
		}
		l.Trusted = sum
	}
	return l
}

// loadOn is load for operations that use memory. If memory is switched off, it returns a switchedOff error together
// with the settings.
func (o *operation) loadOn(place config.Place, dirs config.Dirs) (*config.Config, error) {
	settings, err := o.load(place, dirs)
	if err != nil {
		return settings, err
	}
	if source, off := settings.MemoryOff(); off {
		pauseNoting(o, place)
		return settings, switchedOff(o, source, place)
	}
	if !o.isOn { // written once: a daemon loads the settings again while other goroutines run
		o.isOn = true
	}
	return settings, nil
}

// opening opens the repository's memory.
type opening func(ctx context.Context) (*openMemory, error)

// openRecovered opens the memory of the operation's place, completes the work of crashed commands and reads hand edits.
// It returns an error if there is no memory yet.
func (o *operation) openRecovered(ctx context.Context) (*openMemory, error) {
	s, err := o.openExisting(ctx)
	if err == nil {
		o.topics.recover(ctx, s)
		tellUntrusted(ctx, s)
	}
	return s, err
}

// openToRead is openRecovered for operations that only read and should be quick.
func (o *operation) openToRead(ctx context.Context) (*openMemory, error) {
	s, err := o.openExisting(ctx)
	if err == nil {
		o.topics.catchUp(ctx, s)
	}
	return s, err
}

func (o *operation) openExisting(ctx context.Context) (*openMemory, error) {
	place, dirs, err := o.place()
	if err != nil {
		return nil, err
	}
	if !place.HasMemory() && !isDir(dirs.Fallback(place)) {
		return nil, &Error{Kind: KindNoPlace,
			Err:  fmt.Errorf("reading memory: %w in %s yet", errNothing, place.Root),
			Hint: howToBegin(o, place, dirs)}
	}
	return openPlace(ctx, o, place, dirs)
}

// errNothing reports that a place has no memory yet.
var errNothing = errors.New("nothing has been remembered")

// orNothing turns the error of a place without memory into an empty answer, and reports the reason as a notice. It is
// for queries of memory. Operations that name an item of it must fail instead.
func (o *operation) orNothing(err *error) {
	if errors.Is(*err, errNothing) {
		known := AsError(*err)
		o.say("%v", known.Err)
		o.hint("%s", known.Hint)
		*err = nil
	}
}

// assemble creates an openMemory from its parts. It writes nothing.
func (o *operation) assemble(ctx context.Context, place config.Place, dirs config.Dirs, settings *config.Config) (*openMemory, error) {
	if err := staysInside(place); err != nil {
		return nil, fmt.Errorf("opening memory: %w", err)
	}
	red, err := redactor(o, settings)
	if err != nil {
		return nil, err
	}
	if o.notices == nil {
		o.notices = &notices{}
	}
	s := &openMemory{operation: o, Place: place, dirs: dirs, settings: settings, redact: red, vectors: vectors{notices: o.notices},
		failures: failureLog{[]string{place.State(), dirs.Fallback(place)}}}
	s.refuses = func(path string) bool { return untrustedPart(ctx, s).trackedFile(path) }
	s.store, err = writeback.Open(writeback.Options{
		Memory: place.Memory(), State: place.State(), Fallback: dirs.Fallback(place),
		Now: time.Now, LockWait: o.lockWait, EditWait: o.editWait, Same: makesNeedless,
		Untrusted: func(file string) bool { return s.refuses("memory/" + file) }, Holding: func(ctx context.Context, names ...digest.Name) func(name string) bool {
			return holding(ctx, s, names...)
		},
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// loadHere reads the settings in force here, and creates their redactor.
func loadHere(o *operation) (*config.Config, *redact.Redactor, error) {
	place, dirs, err := o.place()
	if err != nil {
		return nil, nil, err
	}
	settings, err := o.loadOn(place, dirs)
	if err != nil {
		return nil, nil, err
	}
	red, err := redactor(o, settings)
	return settings, red, err
}

func redactor(o *operation, settings *config.Config) (*redact.Redactor, error) {
	red, err := redact.New(redact.Options{Extra: settings.Redact.Extra, Names: settings.Redact.Names, Env: o.environ})
	if err != nil {
		return nil, &Error{Kind: KindUsage, Err: fmt.Errorf("reading the settings: %w", err)}
	}
	return red, nil
}

// degraded warns of failures and records them. The command continues.
func (s *openMemory) degraded(command string, lines []string) {
	lines = withoutCanceled(s.operation, lines)
	s.degradations.add(lines)
	for _, line := range lines {
		s.warn("%s", line)
	}
	if err := s.failures.add(time.Now(), command, lines); err != nil && !s.unrecordable.Swap(true) {
		s.warn("recording that: %v", err)
	}
}

func tellReport(s *openMemory, report writeback.Report, err error) {
	for _, ref := range report.Finished {
		s.say("finished writing %s, which an earlier command had left in the log (%s)", memory.ShortID(ref.ID), ref.Title)
	}
	for _, change := range report.Changes {
		s.say("%s", change)
	}
	if n := len(report.Restored); n > 0 {
		s.say("restored %s that had vanished from %s", plural.Count(n, "memory file"), s.Memory())
	}
	if len(report.Vanished) > 0 {
		s.say("%s vanished without forget; 'agentflow status' names them", plural.Count(len(report.Vanished), "entry"))
	}
	lines := report.Degraded
	if err != nil {
		lines = append(lines, err.Error())
	}
	s.degraded("recover", lines)
}

// withSynced updates the index as far as that is quick, and then runs use on it. The lines report parts that are not up
// to date. The error comes from opening the index or from use.
func withSynced(ctx context.Context, s *openMemory, use func(*openIndex) error) (degraded []string, err error) {
	listed := index.List(ctx, s.sources(ctx)...)
	notices, err := s.withIndex(ctx, func(db *openIndex) error {
		report, err := db.SyncSome(ctx, listed)
		degraded = notInStep(report, err)
		return use(db)
	})
	return append(notices, degraded...), err
}

// notInStep lists the differences between the index and the files.
func notInStep(report index.SyncReport, err error) []string {
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

func isIndexBehind(line string) bool { return strings.HasPrefix(line, indexBehind) }

// reindex updates the index after an edit.
func reindex(ctx context.Context, s *openMemory, command string) {
	degraded, err := withSynced(ctx, s, func(*openIndex) error { return nil })
	s.degraded(command, appendError(degraded, err))
}

// sources lists the folders with Markdown to index.
func (s *openMemory) sources(ctx context.Context) []index.Source {
	sources := []index.Source{memorySource(ctx, s)}
	bare := s.CommonDir != "" && s.Worktree == ""
	in := s.settings.Index
	files := slices.DeleteFunc(slices.Clone(in.Include), func(p string) bool { return p == agentdocs.AutoMemory })
	if len(files) > 0 && !bare {
		sources = append(sources, index.Source{Dir: filepath.Dir(s.Root), Included: true, Include: files, Ignore: in.Ignore})
	}
	if dir := autoFolder(s); dir != "" {
		sources = append(sources, index.Source{Dir: dir, Prefix: autoPrefix, Included: true, Include: []string{"*.md"}})
	}
	return append(sources, sharedSources(s)...)
}

// memorySource returns the memory folder as a source.
func memorySource(ctx context.Context, s *openMemory) index.Source {
	b := untrustedPart(ctx, s)
	source := index.Source{Dir: s.Memory(), Prefix: "memory/", Untrusted: func(rel string) bool { return b.file("memory/" + rel) }}
	if b.outside {
		source.Dir = "" // read nothing there
	}
	return source
}

// ignored reports whether a path of the work tree is excluded from memory.
func ignored(s *openMemory, path string) bool { return index.Ignored(s.settings.Index.Ignore, path) }

// staysInside returns an error if the state folder in git's folder is a link that leads elsewhere.
func staysInside(place config.Place) error {
	if place.CommonDir != "" && leadsOutside(place.State(), place.CommonDir) {
		return &Error{Kind: KindRefused, Err: fmt.Errorf("%s leads outside the repository", place.State()), Hint: "remove that link"}
	}
	return nil
}

// leadsOutside reports whether dir, with every symlink resolved, is outside root. A repository from another person must
// not make this program write elsewhere.
func leadsOutside(dir, root string) bool {
	realDir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false // a missing folder will be made in root
	}
	realRoot, err := filepath.EvalSymlinks(root)
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(realRoot, realDir)
	return err != nil || !filepath.IsLocal(rel)
}

// exists reports whether the work tree holds a path that an entry names.
func exists(s *openMemory, path string) bool {
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

// repo opens the work tree for git queries, once. It returns errNoGit outside git.
func (s *openMemory) repo(ctx context.Context) (*gitwatch.Repo, error) {
	if s.CommonDir == "" || s.Worktree == "" {
		return nil, errNoGit
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
func repoAt(ctx context.Context, s *openMemory, top string) (*gitwatch.Repo, error) {
	if top == s.Worktree {
		return s.repo(ctx)
	}
	return gitwatch.Open(ctx, top)
}

var errNoGit = errors.New("no git work tree here")

// flagKey is a flag and the setting that its text overrides. An empty text leaves the setting as it is.
type flagKey struct{ flag, key, text string }

func overlay(settings *config.Config, flags ...flagKey) error {
	for _, f := range flags {
		if f.text == "" {
			continue
		}
		if p := settings.SetText("--"+f.flag, f.key, f.text); p != nil {
			return usagef("--%s: %s", f.flag, p.Message)
		}
	}
	return nil
}
