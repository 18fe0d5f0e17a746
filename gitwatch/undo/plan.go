// Package undo takes back what a run changed: what it left uncommitted, by the
// copies it kept, and what it committed, by a new commit. It also shows those
// changes as a patch, of the same contents.
//
// Guarantees: a Plan and a Patch change nothing; git works for them on scratch
// objects and a scratch index beside the repository's own. Later work is never
// lost: where a file is not as the run left it, other changes overlap, or
// somebody else's are inside, the plan refuses as a whole and says why. What is
// only possibly the run's is there only when the Request says so. Apply changes the work tree, then the
// index, then HEAD, a file at a time and each in one step, so that what a
// killed one left undone is done by the next; on an error it puts everything
// back. Nothing is staged or committed but the run's paths. A file that goes, or
// is overwritten, is kept in the run's folder where git and the run's own copies
// do not hold its bytes. No hook of git's is run.
//
// Not guaranteed: a file whose earlier contents were not kept, as large ones and
// those that hold a secret, or are not known, as where git did not look, stays as
// it is and is named. Not taken back are submodules and unresolved merges, nor
// moves of HEAD other than by commits. Another program that changes a file in
// the moment between the look at it and its change is not noticed.
package undo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sort"

	"agentflow/gitwatch"
	"agentflow/gitwatch/edits"
)

// Request says what of a run is to be taken back.
type Request struct {
	Dir       string          // the run's folder, with what it kept; it may be gone
	Temp      string          // a folder for temporary files; best on the work tree's file system
	Edits     []edits.Change  // what the run left uncommitted
	Committed []edits.Change  // what its commits changed, oldest first
	Commits   []string        // the commits' full ids, as they are now
	Moved     int             // files that changed as HEAD was moved otherwise
	From      gitwatch.Origin // where the run began
	Message   string          // of the commit that takes them back
}

// Plan is a plan to take a run back. Paths are sorted. Close gives back its
// place for temporary files.
type Plan struct {
	Restore []string // files that get contents or a mode back
	Remove  []string // files that go
	Unstage []string // paths that only the index holds as the run left them
	Revert  bool     // a new commit takes the commits back
	Refused []Refusal
	Stays   []Refusal // files that stay as they are, as what they held before cannot be had
	Hint    string    // what may be done in place of a refused undo, where that is known
	// Aside is the folder, in the run's, where Apply put the files that it took
	// away or overwrote and whose bytes were nowhere else; empty when there were
	// none.
	Aside string

	repo    *gitwatch.Repo
	request Request
	archive *edits.Archive
	scratch *scratch
	lacking map[string]error // ids of contents that cannot be had
	merged  map[string]bool  // ids of contents that came of a merge
	head    string           // commit; empty when unborn
	paths   []*pathPlan
}

// Refusal is why a run, or a file, cannot be taken back: something about a path,
// or about the whole where Path is empty.
type Refusal struct{ Path, Why string }

// Done says that nothing is left to take back.
func (u *Plan) Done() bool {
	if len(u.Refused) > 0 {
		return false
	}
	return !slices.ContainsFunc(u.paths, (*pathPlan).moves)
}

// Empty says that the run has nothing to take back and never had, as when its
// commits only reworded others'.
func (u *Plan) Empty() bool { return len(u.Refused) == 0 && len(u.paths) == 0 }

// Left are the paths that are not as they were before the run: those that the
// plan changes, those that it refuses, and those that stay.
func (u *Plan) Left() []string {
	var out []string
	for _, p := range u.paths {
		if p.moves() {
			out = append(out, p.path)
		}
	}
	for _, r := range slices.Concat(u.Refused, u.Stays) {
		if r.Path != "" {
			out = append(out, r.Path)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// New works out how a run is taken back, and changes nothing. What it
// left uncommitted goes back where a file is exactly as the run left it, its
// commits by a three-way merge of each path. Where either cannot be, or where
// somebody else's change is inside what the run did (edits.MixedYes), the plan
// says so in Refused and is not to be applied. A path that is already as it
// was before needs nothing, so that an undo that was cut short can be made
// again. The error says that no plan could be made.
func New(ctx context.Context, r *gitwatch.Repo, request Request) (*Plan, error) {
	u := &Plan{repo: r, request: request, merged: map[string]bool{}}
	err := u.plan(ctx)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("plan an undo: %w", err), u.Close())
	}
	return u, nil
}

// Close removes the temporary files.
func (u *Plan) Close() error {
	err := u.archive.Close()
	if u.scratch != nil {
		err = errors.Join(err, u.scratch.close())
	}
	return err
}

// provideContents makes the contents from before the run known to git.
func (u *Plan) provideContents(ctx context.Context) (err error) {
	files := map[edits.File]string{}
	for _, p := range u.paths {
		for _, e := range p.committed {
			files[e.Before], files[e.After], files[beforeCommit(e, true)] = p.path, p.path, p.path
		}
		if p.edit != nil {
			files[p.edit.before] = p.path
		}
	}
	u.lacking, err = u.scratch.provide(ctx, u.archive, files)
	return err
}

func (u *Plan) leaveAsIs(p *pathPlan, why string) {
	p.work = p.now.File
	u.Stays = append(u.Stays, Refusal{p.path, why})
}

func (u *Plan) refuse(path, why string) { u.Refused = append(u.Refused, Refusal{path, why}) }

func (u *Plan) plan(ctx context.Context) (err error) {
	if u.archive, err = edits.OpenArchive(u.request.Dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if u.scratch, err = newScratch(u.repo, u.request.Temp); err != nil {
		return err
	}
	if _, u.head, err = u.repo.Head(ctx); err != nil {
		return err
	}
	if n := u.request.Moved; n > 0 {
		u.refuse("", fmt.Sprintf("it moved HEAD otherwise than by its commits (by a switch, reset, pull or merge), which changed %d files", n))
	}
	if err := u.checkCommits(ctx); err != nil {
		return err
	}
	u.collect()
	if err := u.readState(ctx); err != nil {
		return err
	}
	if err := u.provideContents(ctx); err != nil {
		return err
	}
	for _, p := range u.paths {
		if err := u.decide(ctx, p); err != nil {
			return err
		}
	}
	u.checkRoom()
	u.summarize()
	return u.findOnlyCopies(ctx)
}

// summarize fills in what the plan tells of itself.
func (u *Plan) summarize() {
	for _, p := range u.paths {
		switch {
		case p.changesWorkTree() && p.work.Exists():
			u.Restore = append(u.Restore, p.path)
		case p.changesWorkTree():
			u.Remove = append(u.Remove, p.path)
		case p.index.moves() && !p.head.moves():
			u.Unstage = append(u.Unstage, p.path)
		}
		u.Revert = u.Revert || p.head.moves()
	}
	sort.SliceStable(u.Refused, func(i, j int) bool { return u.Refused[i].Path < u.Refused[j].Path })
}

// checkRoom refuses paths that cannot stand where they did: a file now where
// one of their folders was, or a folder with other files in their place.
func (u *Plan) checkRoom() {
	goes := map[string]bool{}
	for _, p := range u.paths {
		goes[p.path] = p.changesWorkTree() && !p.work.Exists()
	}
	for _, p := range u.paths {
		if !p.changesWorkTree() || !p.work.Exists() {
			continue
		}
		if other := u.inTheWay(p.path, goes); other != "" {
			u.refuse(p.path, "there is "+other+" now")
		}
	}
}

// inTheWay names what keeps a file from being put at a path; goes are the
// paths that will be gone.
func (u *Plan) inTheWay(name string, goes map[string]bool) string {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if info, err := os.Lstat(u.full(dir)); err == nil && !info.IsDir() && !goes[dir] {
			return dir
		}
	}
	if info, err := os.Lstat(u.full(name)); err != nil || !info.IsDir() {
		return ""
	}
	found := ""
	_ = filepath.WalkDir(u.full(name), func(full string, d fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(u.repo.Root(), full)
		rel = filepath.ToSlash(rel)
		if err == nil && relErr == nil && (d.IsDir() || goes[rel]) {
			return nil
		}
		found = rel
		return filepath.SkipAll
	})
	return found
}

func (u *Plan) full(name string) string {
	return filepath.Join(u.repo.Root(), filepath.FromSlash(name))
}
