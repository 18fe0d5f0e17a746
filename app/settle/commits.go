package settle

import (
	"context"
	"iter"
	"slices"
	"sync"

	"agentflow/app"
	"agentflow/app/indexes"
	"agentflow/app/lookup"
	"agentflow/gitwatch/history"
	"agentflow/gitwatch/hook"
	"agentflow/gitwatch/links"
	"agentflow/gitwatch/reflog"
	"agentflow/internal/lists"
	"agentflow/memory"
	"agentflow/memory/changeset"
	"agentflow/memory/digest"
)

// KnownCommits indexes what memory holds about commits.
type KnownCommits struct {
	entries map[string]bool          // by entry id
	commits map[string]bool          // by the full id of a commit that an entry names
	taken   map[string]bool          // by the short id of a commit that holds only changes of a run: its entry names it
	patches map[string][]namedCommit // commits by patch id; only for entries that store one
	runs    []*memory.Entry          // runs that left uncommitted changes
}

type namedCommit struct{ id, title string }

func newKnownCommits() KnownCommits {
	return KnownCommits{entries: map[string]bool{}, commits: map[string]bool{}, taken: map[string]bool{}, patches: map[string][]namedCommit{}}
}

// ReadKnownCommits reads all of memory. It returns an error for a file that cannot be read, because
// that file may hold any commit.
func ReadKnownCommits(s *app.Repo) (KnownCommits, error) { return gatherCommits(lookup.Blocks(s)) }

// knownAround reads the entries that are related to some commits, patches, or contents that runs
// left uncommitted. names selects them.
func knownAround(ctx context.Context, s *app.Repo, names []digest.Name) (KnownCommits, error) {
	return gatherCommits(lookup.BlocksNamed(ctx, s, names...))
}

func gatherCommits(blocks iter.Seq2[lookup.StoredBlock, error]) (KnownCommits, error) {
	known := newKnownCommits()
	for b, err := range blocks {
		if err != nil {
			return known, err
		}
		if b.Entry != nil {
			known.add(b.Entry)
		}
	}
	return known, nil
}

func (k *KnownCommits) add(e *memory.Entry) {
	k.entries[e.ID] = true
	for i, c := range e.Commits {
		k.commits[c.ID] = true
		title := e.Title
		if c.Subject != "" {
			title = memory.Title(c.Subject)
		}
		if i < len(e.Patch) && e.Patch[i] != "" {
			k.patches[e.Patch[i]] = append(k.patches[e.Patch[i]], namedCommit{c.ID, title})
		}
	}
	for _, id := range e.TakenAs() {
		k.taken[id] = true
	}
	if e.Kind.ByAgent() && len(e.Uncommitted.Items) > 0 {
		k.runs = append(k.runs, e)
	}
}

// names reports whether an entry names a commit.
func (k *KnownCommits) names(commit string) bool {
	return k.commits[commit] || k.taken[commit[:min(len(commit), changeset.ShortTaken)]]
}

// originals returns the ids of the commits that an entry's commit may have been copied from by a
// rebase or a cherry-pick. They have the same change and the same title. A commit that applies a
// reverted change again has another title.
func (k *KnownCommits) originals(e *memory.Entry) (commits []string) {
	if len(e.Patch) == 1 {
		for _, c := range k.patches[e.Patch[0]] {
			if memory.SameTitle(c.title, e.Title) {
				commits = append(commits, c.id)
			}
		}
	}
	return commits
}

// commitStatus says whether a commit gets an entry, and why not.
type commitStatus int

const (
	CommitNew       commitStatus = iota // the commit gets an entry
	CommitRecorded                      // memory holds its entry, or entries of all commits that it was made from
	CommitInOther                       // the entry of a run, or of another commit, names it
	CommitForgotten                     // its entry was forgotten, or removed by hand
)

// Status returns the status of one commit. barred reports whether an entry was forgotten or removed
// by hand. made knows the commits that others were made from, and forgotten holds those of them
// with a forgotten entry.
func (k *KnownCommits) Status(c history.Ref, barred func(id string) bool, made ReportedCommits, forgotten map[string]bool) commitStatus {
	id := history.EntryID(c.ID, c.Time)
	switch {
	case k.entries[id]:
		return CommitRecorded
	case k.names(c.ID):
		return CommitInOther
	case history.IsForgotten(c, barred) || made.settled(c.ID, func(id string) bool { return forgotten[id] }):
		return CommitForgotten
	case made.settled(c.ID, func(id string) bool { return forgotten[id] || k.names(id) }):
		return CommitRecorded
	}
	return CommitNew
}

// FreshEntries builds the entries of the commits that are not copies of commits in memory, and adds
// them to recorded. Each entry names the runs that left its edits uncommitted. patches maps commit
// ids to patch ids.
func FreshEntries(ctx context.Context, s *app.Repo, recorded *KnownCommits, commits []history.Commit, patches map[string]string) ([]memory.Entry, error) {
	left := links.NewLeftovers(recorded.runs...)
	var entries []memory.Entry
	for _, c := range commits {
		e := history.Entry(c, s.Redact.Text, func(path string) bool { return indexes.Ignored(s, path) })
		e.Runs = left.Runs(c)
		if patch := patches[c.ID]; patch != "" {
			e.Patch = []string{patch}
		}
		entries = append(entries, e)
	}
	again, err := madeAgain(ctx, s, recorded, entries)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(entries, func(e memory.Entry) bool {
		copied := recorded.copied(&e, again)
		if !copied {
			recorded.add(&e)
		}
		return copied
	}), nil
}

// madeAgain returns the pairs of an original and an entry's commit in which the original is an
// ancestor of the commit. Such a commit makes the same change again, and is no copy. The originals
// are in memory, or among the entries.
func madeAgain(ctx context.Context, s *app.Repo, recorded *KnownCommits, entries []memory.Entry) (map[history.Pair]bool, error) {
	var pairs []history.Pair
	fresh := newKnownCommits()
	for i := range entries {
		e := &entries[i]
		for _, original := range append(recorded.originals(e), fresh.originals(e)...) {
			pairs = append(pairs, history.Pair{Ancestor: original, Commit: e.Commits[0].ID})
		}
		fresh.add(e)
	}
	if len(pairs) == 0 {
		return nil, nil
	}
	return history.LeadTo(ctx, app.GitFolder(s), pairs)
}

// copied reports whether memory holds the commit that the entry's commit was copied from.
func (k *KnownCommits) copied(e *memory.Entry, again map[history.Pair]bool) bool {
	return slices.ContainsFunc(k.originals(e), func(original string) bool {
		return !again[history.Pair{Ancestor: original, Commit: e.Commits[0].ID}]
	})
}

// readCommits reads commits and computes their patch ids at the same time.
func readCommits(ctx context.Context, s *app.Repo, ids []string) (commits []history.Commit, patches map[string]string, err error) {
	var beside sync.WaitGroup
	beside.Go(func() { patches = PatchIDs(ctx, s, ids) })
	commits, err = history.Read(ctx, app.GitFolder(s), ids)
	beside.Wait()
	for _, c := range commits {
		if c.Unread != "" {
			delete(patches, c.ID) // git treats it as a commit that creates every file
		}
	}
	return commits, patches, err
}

// PatchIDs returns the patch ids of commits, or nil if they cannot be computed. Entries without them
// are still correct.
func PatchIDs(ctx context.Context, s *app.Repo, ids []string) map[string]string {
	repo, err := s.Repo(ctx)
	if err != nil || len(ids) == 0 {
		return nil
	}
	patches, _ := repo.PatchIDs(ctx, ids...)
	return patches
}

// IdSet is a set of ids in hexadecimal digits.
type IdSet map[string]bool

// Add adds ids to the set.
func (d IdSet) Add(ids ...string) {
	for _, id := range ids {
		d[id] = true
	}
}

// namesOf returns the names by which the entries of some commits are found.
func namesOf(ids ...string) []digest.Name { return lists.Mapped(ids, digest.ByCommit) }

// namesAround returns the names by which the entries related to some commits are found: their own
// entries, those with the same patch, and those of runs that left the same contents.
func namesAround(commits []history.Commit, patches map[string]string) (names []digest.Name) {
	for _, c := range commits {
		names = append(names, digest.ByCommit(c.ID))
		for _, f := range c.Files {
			names = append(names, digest.ByLeft(f.Blob))
			if f.Status == changeset.StatusRenamed {
				names = append(names, digest.ByLeft(changeset.NoBlob))
			}
		}
	}
	for _, patch := range patches {
		names = append(names, digest.ByPatch(patch))
	}
	return names
}

// ReportedCommits holds the commits that hooks and reflogs report and that may get entries.
type ReportedCommits struct {
	Ids      []string            // full ids, each once
	Origins  map[string][]string // by commit: the commits that it was made from, by amend or rebase
	replaced map[string]bool     // commits that were amended or rebased into others
	trees    map[string]string   // by commit: the linked work tree in which it was made
	rewrites []reflog.Rewrite
	seen     map[string]bool
}

func (r *ReportedCommits) add(id string) {
	if !r.seen[id] {
		r.seen[id] = true
		r.Ids = append(r.Ids, id)
	}
}

// gather collects the commits of events and reflogs. origins holds the rewrites of earlier events,
// and gets those of these events.
func gather(events []hook.Event, a reflog.Arrivals, origins map[string][]string) ReportedCommits {
	r := ReportedCommits{Origins: origins, replaced: map[string]bool{}, trees: map[string]string{}, seen: map[string]bool{}}
	for _, id := range a.Made {
		r.add(id)
	}
	r.rewrites = append(r.rewrites, a.Amended...)
	for _, e := range events {
		r.add(e.New)
		if e.Linked != "" {
			r.trees[e.New] = e.Linked
		}
		if e.Kind == hook.KindRewrite && e.Old != e.New {
			r.rewrites = append(r.rewrites, reflog.Rewrite{Old: e.Old, New: e.New})
		}
	}
	for _, w := range r.rewrites {
		r.Origins[w.New] = append(r.Origins[w.New], w.Old)
		r.replaced[w.Old] = true
	}
	return r
}

// leaveOut removes the commits of runs that are not recorded.
func (r *ReportedCommits) leaveOut(unrecorded func(run string) bool, events []hook.Event) {
	runs, out := map[string]bool{"": false}, map[string]bool{}
	for _, e := range events {
		if _, ok := runs[e.Run]; !ok {
			runs[e.Run] = unrecorded(e.Run)
		}
		out[e.New] = out[e.New] || runs[e.Run]
	}
	r.Ids = slices.DeleteFunc(r.Ids, func(id string) bool { return out[id] })
}

// newest returns the commits that were not amended or rebased into others.
func (r ReportedCommits) newest() []string {
	return slices.DeleteFunc(slices.Clone(r.Ids), func(id string) bool { return r.replaced[id] })
}

// settled reports whether done is true for a commit, or for every commit that it was made from. It
// has to be every one, because a commit that several were squashed into holds more than each of
// them.
func (r ReportedCommits) settled(id string, done func(id string) bool) bool {
	return r.settledBeside(id, done, map[string]bool{})
}

// settledBeside implements settled. path holds the commits on the way to id, because rewrites may
// form a cycle.
func (r ReportedCommits) settledBeside(id string, done func(string) bool, path map[string]bool) bool {
	if done(id) {
		return true
	}
	path[id] = true
	from := r.Origins[id]
	all := len(from) > 0
	for _, old := range from {
		all = all && !path[old] && r.settledBeside(old, done, path)
	}
	delete(path, id)
	return all
}

// Roots returns all commits that the reported ones were made from, directly or through others.
func (r ReportedCommits) Roots() []string {
	seen := map[string]bool{}
	todo := slices.Clone(r.Ids)
	var roots []string
	for len(todo) > 0 {
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, old := range r.Origins[id] {
			if !seen[old] {
				seen[old] = true
				todo, roots = append(todo, old), append(roots, old)
			}
		}
	}
	return roots
}
