// Package undo takes back the changes of a run: uncommitted ones with the copies that the run kept,
// committed ones with a new commit. It also shows the same changes as a patch.
//
// Guarantees: a Plan and a Patch change nothing. For them, git works on scratch objects and a
// scratch index, separate from those of the repository. Later work is never lost: if a file is not
// as the run left it, other changes overlap, or a file contains changes by others, the whole plan
// refuses and says why. Changes that are only possibly the run's are taken back only if the Request
// names them. Apply changes the work tree, then the index, then HEAD, one file at a time and each
// in one step, so that the next Apply completes one that was killed. On an error it puts everything
// back. Only the run's paths are staged or committed. A file that is removed or overwritten is
// copied into the run's folder, unless git or the run's copies hold its bytes. No git hook runs.
//
// Not guaranteed: a file stays as it is, and is named, if its earlier contents were not kept (large
// files and those with a secret) or are unknown (files that git did not look at), or if another
// person committed or stashed the change. Submodules and unresolved merges are not taken back, nor
// is a run that switched to another branch or reset its own. Commits that came in by a pull or a
// merge stay. A change by another program between the last look at a file and its replacement goes
// unnoticed.
package undo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sort"

	"agentflow/gitwatch"
	"agentflow/gitwatch/edits"
)

// Request names the changes of a run to take back.
type Request struct {
	Dir       string          // the run's folder, with the contents that it kept; it may be gone
	Temp      string          // a folder for temporary files; best on the work tree's file system
	Edits     []edits.Change  // its uncommitted changes
	Committed []edits.Change  // the changes of its commits, oldest first
	Commits   []string        // the commits' full ids, as they are now
	Moved     int             // files that changed by a switch or a reset
	From      gitwatch.Origin // where the run began
	Message   string          // of the commit that takes them back
}

// Plan is a plan to take a run back. Paths are sorted. Close removes its temporary files.
type Plan struct {
	Restore []string // files that get their earlier contents or mode back
	Remove  []string // files to remove
	Unstage []string // paths that only the index holds as the run left them
	Revert  bool     // a new commit takes the commits back
	Refused []Refusal
	Stays   []Refusal // files that stay as they are, because their earlier contents are missing
	Hint    string    // a command that helps if the undo is refused, if there is one
	// Aside is the folder, in the run's folder, in which Apply kept the only copies of files that
	// it removed or overwrote. It is empty if there were none.
	Aside string

	repo    *gitwatch.Repo
	tree    workTree
	request Request
	archive *edits.Archive
	scratch *scratch
	lacking map[string]error // by id: why contents are missing
	merged  map[string]bool  // ids of contents that a merge produced
	// elsewhere has a hint for each change that another person committed or stashed.
	elsewhere []string
	head      string // commit; empty when unborn
	paths     []*pathPlan
}

// Refusal is the reason why a file cannot be taken back or shown or, with an empty Path, why the
// whole run cannot.
type Refusal struct{ Path, Why string }

// Done reports whether everything is already taken back.
func (u *Plan) Done() bool {
	if len(u.Refused) > 0 {
		return false
	}
	return !slices.ContainsFunc(u.paths, (*pathPlan).moves)
}

// Empty reports whether the run never had a change to take back, as when its commits only reword
// others.
func (u *Plan) Empty() bool { return len(u.Refused) == 0 && len(u.paths) == 0 }

// Left returns the paths that differ from before the run: those that the plan changes, those that
// it refuses, and those that stay.
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

// New plans how to take a run back, and changes nothing. An uncommitted change is taken back if the
// file is exactly as the run left it, commits by a three-way merge of each path. If that fails, or
// if a change contains a change by others (edits.MixedYes), the plan says so in Refused and must
// not be applied. A path that is already as before the run needs nothing, so an interrupted undo
// can be repeated. The error says why there is no plan.
func New(ctx context.Context, r *gitwatch.Repo, request Request) (*Plan, error) {
	u := &Plan{repo: r, tree: workTree(r.Root()), request: request, merged: map[string]bool{}}
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
		u.refuse("", fmt.Sprintf("it moved HEAD by a switch or a reset, which changed %d files", n))
	}
	u.collect()
	for _, step := range []func(context.Context) error{u.checkCommits, u.readState, u.provideContents, u.decide} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	u.checkRoom()
	u.refuseElsewhere()
	u.summarize()
	return u.findOnlyCopies(ctx)
}

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

// checkRoom refuses paths that are blocked: by a file in the place of one of their folders, or by a
// folder that holds other files.
func (u *Plan) checkRoom() {
	goes := map[string]bool{}
	for _, p := range u.paths {
		goes[p.path] = p.changesWorkTree() && !p.work.Exists()
	}
	for _, p := range u.paths {
		if !p.changesWorkTree() || !p.work.Exists() {
			continue
		}
		if other := u.tree.inTheWay(p.path, goes); other != "" {
			u.refuse(p.path, "there is "+other+" now")
		}
	}
}
