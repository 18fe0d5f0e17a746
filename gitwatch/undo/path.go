package undo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"agentflow/gitwatch"
	"agentflow/gitwatch/edits"
	"agentflow/gitwatch/internal/git"
)

// pathPlan is the plan for one path that a run changed: how to take its change back in the work
// tree, in the index and in HEAD.
type pathPlan struct {
	path      string
	edit      *pathSpan      // the run's uncommitted change
	committed []edits.Change // the changes of its commits, oldest first
	unmerged  bool
	mixed     bool             // the run's change contains a change by others
	elsewhere *edits.Elsewhere // where another person put the run's uncommitted change

	onlyCopy bool   // the file on disk is the only copy of its bytes
	ready    string // the final file, outside the work tree

	now   gitwatch.WorkFile
	work  edits.File // for the work tree
	index move
	head  move
}

func (p *pathPlan) changesWorkTree() bool { return !holdsFile(p.now, p.work) }

func (p *pathPlan) moves() bool { return p.changesWorkTree() || p.index.moves() || p.head.moves() }

type move struct{ from, to edits.File }

func (m move) moves() bool { return !m.from.Same(m.to) }

// holdsFile reports whether the work tree holds exactly this file: byte for byte if a copy is kept,
// else as git would store it, or by size and time if it was too large to be hashed.
func holdsFile(w gitwatch.WorkFile, f edits.File) bool {
	if f.Kept != "" {
		return w.Mode == f.Mode && w.Raw == f.Kept
	}
	return w.Same(f) && (f.Size == 0 || f.Size == w.Size) || f.Stands(w.File)
}

func (u *Plan) collect() {
	byPath := map[string]*pathPlan{}
	at := func(path string) *pathPlan {
		p, known := byPath[path]
		if !known {
			p = &pathPlan{path: path}
			byPath[path] = p
			u.paths = append(u.paths, p)
		}
		return p
	}
	for _, e := range u.request.Committed {
		p := at(e.Path)
		p.committed = append(p.committed, e)
		p.mixed = p.mixed || e.Mixed == edits.MixedYes
	}
	for _, e := range u.request.Edits {
		for _, s := range spansOf(e) {
			p := at(s.path)
			p.edit, p.unmerged, p.elsewhere = &s, e.Unmerged, e.Elsewhere
			p.mixed = p.mixed || e.Mixed == edits.MixedYes
		}
	}
	slices.SortFunc(u.paths, func(a, b *pathPlan) int { return strings.Compare(a.path, b.path) })
}

// decide plans the change of each path in the work tree, the index and HEAD.
func (u *Plan) decide(ctx context.Context) error {
	for _, p := range u.paths {
		err := u.decidePath(ctx, p)
		var no refusalError
		if refused := errors.As(err, &no); p.mixed && (refused || err == nil && p.moves()) {
			no = "somebody else changed it too while the run was on"
			err = no
		}
		if errors.As(err, &no) {
			u.refuse(p.path, no.Error())
			p.work, p.index, p.head = p.now.File, move{}, move{}
		} else if err != nil {
			return err
		}
	}
	return nil
}

// refusalError is the reason why a path cannot be taken back.
type refusalError string

func (e refusalError) Error() string { return string(e) }

func (u *Plan) decidePath(ctx context.Context, p *pathPlan) error {
	switch {
	case p.unmerged:
		return refusalError("it is in an unresolved merge")
	case p.submodule():
		return refusalError("it is a submodule")
	case p.elsewhere != nil:
		u.leaveElsewhere(ctx, p)
		return nil
	}
	var err error
	switch p.work, err = u.backInWorkTree(ctx, p); {
	case errors.Is(err, errUnknown):
		u.leaveAsIs(p, errUnknown.Error())
	case err != nil:
		return err
	case p.changesWorkTree() && p.work.Exists() && u.lacking[p.work.Hash] != nil:
		u.leaveAsIs(p, u.lacking[p.work.Hash].Error())
	}
	if p.head.to, err = u.withoutCommits(ctx, p, p.head.from, false); err != nil {
		return err
	}
	return p.backInIndex()
}

func (p *pathPlan) submodule() bool {
	return slices.ContainsFunc(p.expected(), func(f edits.File) bool { return f.Mode == git.ModeGitlink })
}

// backInWorkTree takes back the uncommitted change, which must be as the run left it or taken back
// already, and then the commits.
func (u *Plan) backInWorkTree(ctx context.Context, p *pathPlan) (edits.File, error) {
	from := p.now.File
	if p.edit != nil && p.edit.before.Unknown || len(p.committed) > 0 && beforeCommit(p.committed[0], true).Unknown {
		return from, errUnknown
	}
	if p.edit != nil && !holdsFile(p.now, p.edit.before) && !p.isFirst() {
		if !holdsFile(p.now, p.edit.after) {
			return from, refusalError("it was changed after the run")
		}
		from = p.edit.before
	}
	return u.withoutCommits(ctx, p, from, true)
}

// errUnknown says why a file stays as it is.
var errUnknown = errors.New("it may have been there before the run, where git did not look (ignored, or in a nested repository): what it held is not known")

// isFirst reports whether the work tree holds the file from before the run's first commit of the
// path.
func (p *pathPlan) isFirst() bool {
	return len(p.committed) > 0 && holdsFile(p.now, beforeCommit(p.committed[0], true))
}

// withoutCommits removes the changes of commits from a file, the newest first.
func (u *Plan) withoutCommits(ctx context.Context, p *pathPlan, now edits.File, inWorkTree bool) (edits.File, error) {
	for _, e := range slices.Backward(p.committed) {
		var err error
		if now, err = u.merge(ctx, p, now, e.After, beforeCommit(e, inWorkTree)); err != nil {
			return now, err
		}
	}
	return now, nil
}

// backInIndex makes the index follow HEAD if nothing else is staged. A staged change of a file that
// was clean before the run and changed after it is the run's.
func (p *pathPlan) backInIndex() error {
	now := p.index.from
	byRun := p.edit != nil && (now.Same(p.edit.after) || p.edit.before.Same(p.head.from) || p.edit.before.Same(p.head.to))
	switch {
	case byRun || now.Same(p.head.from) || now.Same(p.head.to):
		p.index.to = p.head.to
	case p.head.moves():
		return refusalError("other changes of it are staged")
	default:
		p.index.to = now
	}
	return nil
}

// checkCommits refuses commits that git itself could not revert now.
func (u *Plan) checkCommits(ctx context.Context) error {
	if len(u.request.Commits) == 0 {
		return nil
	}
	for _, name := range []string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"} {
		if _, err := os.Lstat(filepath.Join(u.repo.GitDir(), name)); err == nil {
			u.refuse("", "git is in the middle of a merge, rebase, cherry-pick or revert: finish or abort that first")
			return nil
		}
	}
	if err := u.checkRoots(ctx); err != nil {
		return err
	}
	if u.head == "" {
		u.refuse("", "HEAD does not contain its commits")
		return nil
	}
	args := append([]string{"rev-list", "--max-count=1"}, u.request.Commits...)
	beside, err := git.Ask(ctx, u.repo.Root(), nil, append(args, "--not", u.head)...)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		u.refuse("", "its commits cannot be found any more: "+err.Error())
	case len(beside) > 0:
		u.refuse("", "HEAD does not contain all of its commits")
	}
	return nil
}

// checkRoots refuses a root commit in a repository that already had commits, because the work tree
// would be empty without it.
func (u *Plan) checkRoots(ctx context.Context) error {
	if u.request.From.Base == "" {
		return nil
	}
	args := append([]string{"rev-list", "--no-walk", "--max-parents=0", "--ignore-missing"}, u.request.Commits...)
	roots, err := git.Ask(ctx, u.repo.Root(), nil, args...)
	if len(roots) == 0 {
		return err
	}
	id, _, _ := strings.Cut(string(roots), "\n")
	back := "git switch " + u.request.From.Branch
	if u.request.From.Branch == "" {
		back = "git switch --detach " + u.request.From.Base
	}
	u.refuse("", fmt.Sprintf("its commit %.7s begins a separate history, as after 'git checkout --orphan', and holds files that were there before", id))
	u.Hint = "'" + back + "' goes back to the history where the run began"
	return nil
}

func (u *Plan) readState(ctx context.Context) error {
	byPath, expected := map[string]*pathPlan{}, map[string][]edits.File{}
	for _, p := range u.paths {
		byPath[p.path], expected[p.path] = p, p.expected()
	}
	// list reads lines that git lists as "FIELD SP … TAB PATH".
	list := func(take func(p *pathPlan, mode uint32, fields []string), args ...string) error {
		out, err := git.Ask(ctx, u.repo.Root(), nil, args...)
		for _, line := range git.SplitZ(string(out)) {
			head, path, _ := strings.Cut(line, "	")
			if p, ok := byPath[path]; ok {
				fields := strings.Fields(head)
				mode, _ := strconv.ParseUint(fields[0], 8, 32)
				take(p, git.CanonicalMode(uint32(mode)), fields)
			}
		}
		return err
	}
	if u.head != "" {
		if err := list(func(p *pathPlan, mode uint32, f []string) { // mode, type, id
			p.head.from = edits.File{Mode: mode, Hash: f[2]}
		}, "ls-tree", "-r", "-z", "--full-tree", u.head); err != nil {
			return err
		}
	}
	if err := list(func(p *pathPlan, mode uint32, f []string) { // mode, id, stage
		p.index.from = edits.File{Mode: mode, Hash: f[1]}
		p.unmerged = p.unmerged || f[2] != "0"
	}, "ls-files", "--stage", "-z"); err != nil {
		return err
	}
	now, err := u.repo.FilesNow(ctx, expected)
	for _, p := range u.paths {
		p.now = now[p.path]
	}
	return err
}

// expected returns the files that may be at the path. The last is the one that the run left.
func (p *pathPlan) expected() []edits.File {
	var out []edits.File
	for _, e := range p.committed {
		out = append(out, beforeCommit(e, true), e.Before, e.After)
	}
	if p.edit != nil {
		out = append(out, p.edit.before, p.edit.after)
	}
	return out
}
