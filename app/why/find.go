package why

import (
	"context"
	"slices"
	"time"

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
	ctx  context.Context
	mem  *app.Repo
	path string // relative to the top of the work tree

	place string // the absolute path, with the links of its folders followed

	now       []byte   // the contents of the file
	text      []string // its lines
	asked     string   // the lines that are asked about; empty for a whole path
	untracked bool     // no commit has the file

	blamed   map[string]blame.Commit // commits as git's blame reports them, by full id
	claims   map[string][]claim      // by the full id of a commit: the entries that may have made it, the best first
	memory   whyMemory
	entries  map[string]lookup.StoredBlock // by id
	git      *gitwatch.Repo                // nil until it is needed
	ledger   *links.Ledger                 // the fate of the commits of all entries; nil if it cannot be read
	rewrites map[string][]string           // of commits: the commits that they were made of, as git's hook reported
	contents map[string][]byte             // by COMMIT:PATH or a blob's id
	names    map[string]bool               // that the file has had
	left     []*leftRun                    // the newest first; nil until they are read
	leftIn   map[string][]leftLine         // by COMMIT:PATH, or empty for the work tree: the run that left each line
	pairs    map[[3]string][]int           // of two commits and a path: which line of the file is which
	earlier  map[string]blame.File         // by COMMIT:PATH: the commits of its lines
	there    map[string]bool               // by id: commits that git still has
	shallow  []string                      // the commits where a shallow history ends; nil until it is needed
	barred   func(id string) bool          // reports which entries were forgotten; nil until it is needed
	gitReads int                           // how often git was asked for contents and earlier lines

	written map[string]time.Time // by the id of an entry: see writtenUntil

	open      *openWriter // nil: none, or not read yet
	askedOpen bool

	notes, degraded []string
}

func newWhyFinder(ctx context.Context, s *app.Repo, path string) *whyFinder {
	return &whyFinder{ctx: ctx, mem: s, path: path, place: fileAt(s, path), blamed: map[string]blame.Commit{}, claims: map[string][]claim{}, entries: map[string]lookup.StoredBlock{},
		contents: map[string][]byte{}, names: map[string]bool{path: true}, leftIn: map[string][]leftLine{}, pairs: map[[3]string][]int{}, earlier: map[string]blame.File{}, there: map[string]bool{}, written: map[string]time.Time{}}
}

func (w *whyFinder) repo() (*gitwatch.Repo, error) {
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
func (w *whyFinder) fileAt(commit, path string) []byte { return w.content(commit + ":" + path) }

// content returns git's contents for a name.
func (w *whyFinder) content(name string) []byte {
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
func (w *whyFinder) findCommits(found blame.File) {
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
func (w *whyFinder) findNamed(ids settle.IdSet) {
	for b := range w.entriesIn(w.memory.naming(ids)) {
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
func (w *whyFinder) claim(commit string, c claim) {
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
