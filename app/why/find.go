package why

import (
	"context"
	"slices"

	"agentflow/app"
	"agentflow/app/lookup"
	"agentflow/app/settle"
	"agentflow/gitwatch"
	"agentflow/gitwatch/blame"
	"agentflow/gitwatch/links"
	"agentflow/memory"
)

// whyFinder finds the origins of one path, and of the lines of one file.
type whyFinder struct {
	*question
	stored   *stored
	versions *versions
	makers   *makers
	remains  *remains
	current  *current
	turns    *turns

	shallow []string             // the commits where a shallow history ends; nil until it is needed
	recent  settle.IdSet         // the commits that a plain backfill reads; nil until it is needed
	barred  func(id string) bool // reports which entries were forgotten; nil until it is needed
}

// question has the path, or the lines of its file, that a caller asks about. All parts add notes to it.
type question struct {
	ctx  context.Context
	mem  *app.Repo
	path string // relative to the top of the work tree

	place string // the absolute path, with the links of its folders followed

	now       []byte   // the contents of the file
	text      []string // its lines
	asked     string   // the lines that are asked about; empty for a whole path
	untracked bool     // no commit has the file

	git   *gitwatch.Repo  // nil until it is needed
	names map[string]bool // that the file has had

	notes, degraded []string
}

// stored reads entries of memory, each once.
type stored struct {
	*question
	memory  whyMemory
	entries map[string]lookup.StoredBlock // by id
}

// versions reads earlier versions of files from git, each once.
type versions struct {
	*question
	contents map[string][]byte     // by COMMIT:PATH or a blob's id
	pairs    map[[3]string][]int   // of two commits and a path: which line of the file is which
	earlier  map[string]blame.File // by COMMIT:PATH: the commits of its lines
	there    map[string]bool       // by id: commits that git still has
	gitReads int                   // how often git was asked for contents and earlier lines
}

// makers finds the entries of runs that may have made a commit.
type makers struct {
	*question
	stored   *stored
	blamed   map[string]blame.Commit // commits as git's blame reports them, by full id
	claims   map[string][]claim      // by the full id of a commit: the entries that may have made it, the best first
	ledger   *links.Ledger           // the fate of the commits of all entries; nil if it cannot be read
	rewrites map[string][]string     // of commits: the commits that they were made of, as git's hook reported
}

// remains finds the lines that runs left without a commit.
type remains struct {
	*question
	stored   *stored
	versions *versions
	makers   *makers
	left     []*leftRun            // the newest first; nil until they are read
	leftIn   map[string][]leftLine // by COMMIT:PATH, or empty for the work tree: the run that left each line
}

// current finds the lines of the run or session that works now.
type current struct {
	*question
	versions  *versions
	makers    *makers
	open      *openWriter // nil: none, or not read yet
	askedOpen bool
}

func newWhyFinder(ctx context.Context, s *app.Repo, path string) *whyFinder {
	q := &question{ctx: ctx, mem: s, path: path, place: fileAt(s, path), names: map[string]bool{path: true}}
	entries := &stored{question: q, entries: map[string]lookup.StoredBlock{}}
	files := &versions{question: q, contents: map[string][]byte{}, pairs: map[[3]string][]int{}, earlier: map[string]blame.File{}, there: map[string]bool{}}
	by := &makers{question: q, stored: entries, blamed: map[string]blame.Commit{}, claims: map[string][]claim{}}
	return &whyFinder{
		question: q, stored: entries, versions: files, makers: by,
		remains: &remains{question: q, stored: entries, versions: files, makers: by, leftIn: map[string][]leftLine{}},
		current: &current{question: q, versions: files, makers: by},
		turns:   &turns{question: q, read: map[string]*written{}},
	}
}

func (w *question) repo() (*gitwatch.Repo, error) {
	if w.git != nil {
		return w.git, nil
	}
	repo, err := w.mem.Repo(w.ctx)
	if err == nil {
		w.git = repo
	}
	return repo, err
}

// maxContents limits how often git is asked for contents and earlier lines of one
// path. For a file of many rewritten commits only the entries then count.
const maxContents = 100

// fileAt returns the contents of a path in a commit; nil if they cannot be read.
func (w *versions) fileAt(commit, path string) []byte { return w.content(commit + ":" + path) }

// content returns git's contents for a name.
func (w *versions) content(name string) []byte {
	if content, known := w.contents[name]; known {
		return content
	}
	w.contents[name] = nil
	if w.gitReads++; w.gitReads > maxContents {
		return nil
	}
	content, err := blame.Contents(w.ctx, w.mem.Worktree, name)
	if err == nil && !blame.IsBinary(content) {
		w.contents[name] = content
	}
	return w.contents[name]
}

// claim is an entry that may have made a commit.
type claim struct {
	entry string   // its id
	as    []string // the commits of the entry that it is: itself, or those that it was made of, the oldest first
	how   claimKind
}

type claimKind int

// The kinds of claims, the best first.
const (
	claimNamed    claimKind = iota // the entry of a run or session names it
	claimOwn                       // it is the commit's own entry
	claimPossible                  // a run may have made it
	claimMade                      // it was made of commits of the entry
	claimLeft                      // it holds a run's uncommitted changes
)

// findCommits finds the entries that made commits.
func (w *makers) findCommits(found blame.File) {
	ids := settle.IdSet{}
	for id, c := range found.Commits {
		w.blamed[id] = c
		ids.Add(id)
	}
	for _, h := range found.Hunks {
		w.names[h.Path] = true
		if h.Before != "" {
			w.names[h.Before] = true
		}
	}
	w.findNamed(ids)
	before := w.earlierForms(ids)
	w.findMade(before)
	missing := settle.IdSet{}
	for id := range ids {
		if len(w.claims[id]) == 0 {
			missing.Add(id)
		}
	}
	w.findCopied(missing)
	for id, list := range w.claims {
		slices.SortStableFunc(list, func(a, b claim) int { return int(a.how) - int(b.how) })
		w.claims[id] = list
	}
}

// findNamed finds the entries that name commits by their ids.
func (w *makers) findNamed(ids settle.IdSet) {
	for b := range w.stored.entriesIn(w.stored.memory.naming(ids)) {
		how := claimNamed
		if b.Entry.Kind == memory.KindCommit {
			how = claimOwn
		}
		for _, c := range b.Entry.Commits {
			if ids[c.ID] {
				w.claim(c.ID, claim{b.Entry.ID, []string{c.ID}, how})
			}
		}
		for _, c := range b.Entry.PossibleCommits {
			if ids[c.ID] {
				w.claim(c.ID, claim{b.Entry.ID, []string{c.ID}, claimPossible})
			}
		}
	}
}

// claim adds a claim to a commit. An entry has one claim even if the commit was made of
// several of its commits.
func (w *makers) claim(commit string, c claim) {
	for i, known := range w.claims[commit] {
		if known.entry == c.entry {
			if known.how == claimMade && c.how == claimMade && !slices.Contains(known.as, c.as[0]) {
				w.claims[commit][i].as = append(known.as, c.as...)
			}
			return
		}
	}
	w.claims[commit] = append(w.claims[commit], c)
}
