package app

import (
	"bytes"
	"context"
	"iter"
	"path/filepath"
	"slices"

	"agentflow/gitwatch"
	"agentflow/gitwatch/blame"
	"agentflow/gitwatch/links"
	"agentflow/memory"
	"agentflow/memory/markdown"
)

// whyFinder finds what one path, and the lines of one file, stem from.
type whyFinder struct {
	ctx  context.Context
	mem  *openMemory
	path string // relative to the top of the work tree

	now       []byte   // what the file holds
	text      []string // its lines
	untracked bool     // no commit has it

	blamed   map[string]blame.Commit // what git tells of commits, by full id
	claims   map[string][]claim      // by the full id of a commit: the entries that may have made it, the best first
	texts    []whyText               // the files of memory; nil until they are read
	entries  map[string]storedBlock  // by id
	git      *gitwatch.Repo          // nil until it is asked
	ledger   *links.Ledger           // what became of the commits of all entries; nil where that cannot be read
	rewrites map[string][]string     // of commits: those that they were made of, as git's hook told
	contents map[string][]byte       // by COMMIT:PATH or a blob's id
	names    map[string]bool         // that the file has had
	left     []*leftRun              // the newest first; nil until they are read
	leftIn   map[string][]leftLine   // by COMMIT:PATH, or empty for the work tree: whose each line is
	pairs    map[[3]string][]int     // of two commits and a path: which line of the file is which
	earlier  map[string]blame.File   // by COMMIT:PATH: of which commits its lines are
	there    map[string]bool         // by id: commits that git still has
	shallow  []string                // the commits where a shallow history ends; nil until it is asked
	barred   func(id string) bool    // says which entries were forgotten; nil until it is asked
	asked    int                     // how often git was asked for contents

	notes, degraded []string
}

func newWhyFinder(ctx context.Context, s *openMemory, path string) *whyFinder {
	return &whyFinder{ctx: ctx, mem: s, path: path, blamed: map[string]blame.Commit{}, claims: map[string][]claim{}, entries: map[string]storedBlock{},
		contents: map[string][]byte{}, names: map[string]bool{path: true}, leftIn: map[string][]leftLine{}, pairs: map[[3]string][]int{}, earlier: map[string]blame.File{}, there: map[string]bool{}}
}

// whyText is a file of memory; its blocks are read when they are needed.
type whyText struct {
	file, path string
	text       []byte
	blocks     []storedBlock
	parsed     bool
}

// readMemory reads the files of memory, once.
func (w *whyFinder) readMemory() {
	if w.texts != nil {
		return
	}
	w.texts = []whyText{}
	files, err := w.mem.files()
	w.degraded = appendError(w.degraded, err)
	for _, path := range files {
		text, err := readMemory(path)
		if err != nil {
			w.degraded = append(w.degraded, err.Error())
			continue
		}
		rel, _ := filepath.Rel(w.mem.Root, path)
		w.texts = append(w.texts, whyText{file: filepath.ToSlash(rel), path: path, text: text})
	}
}

// blocksIn yields the blocks of the files that are wanted by their text, the
// newest file first, and each entry once.
func (w *whyFinder) blocksIn(wanted func(text []byte) bool) iter.Seq[storedBlock] {
	return func(yield func(storedBlock) bool) {
		w.readMemory()
		seen := map[string]bool{}
		for i := range w.texts {
			t := &w.texts[i]
			if !wanted(t.text) {
				continue
			}
			for _, b := range t.parse() {
				if b.Entry != nil {
					if seen[b.Entry.ID] {
						continue
					}
					seen[b.Entry.ID], w.entries[b.Entry.ID] = true, b
				}
				if !yield(b) {
					return
				}
			}
		}
	}
}

// parse reads the blocks of a file of memory, once.
func (t *whyText) parse() []storedBlock {
	if !t.parsed {
		t.parsed = true
		for _, b := range newestFirst(markdown.Parse(t.text).Blocks) {
			t.blocks = append(t.blocks, storedBlock{b, t.file, t.path})
		}
	}
	return t.blocks
}

// entriesIn yields the entries among those blocks.
func (w *whyFinder) entriesIn(wanted func(text []byte) bool) iter.Seq[storedBlock] {
	return func(yield func(storedBlock) bool) {
		for b := range w.blocksIn(wanted) {
			if b.Entry != nil && b.Entry.ID != "" && !yield(b) {
				return
			}
		}
	}
}

// fewIDs is up to how many ids are looked for one by one: that is faster than to
// take a text apart.
const fewIDs = 12

// mentioning yields the entries of the files in whose text an id stands.
func (w *whyFinder) mentioning(ids idSet) iter.Seq[storedBlock] { return w.entriesIn(ids.standIn) }

// standIn says whether any of the ids, of any form, stands in text.
func (d idSet) standIn(text []byte) bool {
	if len(d) > fewIDs {
		return d.in(text)
	}
	for id := range d {
		if bytes.Contains(text, []byte(id)) {
			return true
		}
	}
	return false
}

// entry is the one with an id; false: memory holds none, or it was forgotten.
func (w *whyFinder) entry(id string) (storedBlock, bool) {
	if _, known := w.entries[id]; !known && id != "" {
		for b := range w.mentioning(idSet{id: true}) {
			if b.Entry.ID == id {
				break
			}
		}
	}
	b, ok := w.entries[id]
	return b, ok
}

func (w *whyFinder) repo() (*gitwatch.Repo, error) {
	if w.git != nil {
		return w.git, nil
	}
	repo, err := w.mem.repo(w.ctx)
	if err == nil {
		w.git = repo
	}
	return repo, err
}

// maxContents is how often git is asked for contents and earlier lines about one
// path: a file of many rewritten commits is then told by its entries alone.
const maxContents = 100

// fileAt is what a commit has at a path; nil where that cannot be had.
func (w *whyFinder) fileAt(commit, path string) []byte { return w.content(commit + ":" + path) }

// content is what git has under a name.
func (w *whyFinder) content(name string) []byte {
	if content, known := w.contents[name]; known {
		return content
	}
	w.contents[name] = nil
	if w.asked++; w.asked > maxContents {
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
	claimLeft                      // it holds what the run left uncommitted
)

// findCommits finds the entries that made commits.
func (w *whyFinder) findCommits(found blame.File) {
	ids := idSet{}
	for id, c := range found.Commits {
		w.blamed[id] = c
		ids.add(id)
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
	missing := idSet{}
	for id := range ids {
		if len(w.claims[id]) == 0 {
			missing.add(id)
		}
	}
	w.findCopied(missing)
	for id, list := range w.claims {
		slices.SortStableFunc(list, func(a, b claim) int { return int(a.how) - int(b.how) })
		w.claims[id] = list
	}
}

// findNamed finds the entries that name commits by their ids.
func (w *whyFinder) findNamed(ids idSet) {
	if len(ids) == 0 {
		return
	}
	for b := range w.mentioning(ids) {
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

// claim adds a claim to a commit; an entry with several commits that it was made
// of has one.
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
