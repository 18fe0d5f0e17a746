package gitwatch

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"agentflow/gitwatch/edits"
	"agentflow/gitwatch/internal/git"
	"agentflow/memory"
)

// Compare says what a run changed since before was taken by Snapshot. It
// never fails as a whole: a list that could not be read says why.
func (r *Repo) Compare(ctx context.Context, before json.RawMessage, ev Evidence) (set ChangeSet) {
	defer r.orUnread(&set)
	start, err := r.memo.start(before)
	if err != nil {
		set := unreadSet(err)
		set.Worktree = r.at.linked
		return set
	}
	c := &comparison{repo: r, start: start, ev: ev, objects: openObjects(ctx, r.at)}
	defer c.objects.close()
	c.set = ChangeSet{Branch: git.OneLine(git.ShortBranch(string(start.Branch))), Worktree: r.at.linked, Base: start.Head}
	if c.end, err = r.take(ctx, nil); err != nil {
		set := unreadSet(err)
		set.Branch, set.Worktree, set.Base = c.set.Branch, c.set.Worktree, c.set.Base
		return set
	}
	c.end.byPath()
	c.whose, c.looked = newAttribution(r.at, ev.ofRun()), time.Now()
	c.contents = contents{repo: r, objects: c.objects, unread: map[string]bool{}}
	c.contents.before, _ = edits.OpenCopies(filepath.Join(ev.Dir, beforeFile)) // without it nothing was kept
	defer c.contents.before.Close()
	c.commits(ctx)
	c.workTree(ctx)
	c.keepEdits(ctx)
	c.remarks()
	return c.set
}

// comparison builds one ChangeSet.
type comparison struct {
	repo       *Repo
	objects    *objects
	contents   contents
	start, end *snapshot
	ev         Evidence
	set        ChangeSet

	whose  *attribution
	looked time.Time // when the end was looked at

	own, maybe, others []netChange            // what the run's commits did, those that may be the run's, and those of others
	inCommits          map[string]edits.Mixed // of the paths in own
	mine               []listed               // the run's edits in the work tree
	touched            map[string]bool        // paths any of the run's commits changed
	historyErr         error
	pulled             int
	lost               int
}

// commits fills in what commits did.
func (c *comparison) commits(ctx context.Context) {
	h, err := c.repo.commitsSince(ctx, c.objects, c.start, c.end, c.ev)
	if err == nil {
		c.pulled, c.lost = h.pulled, h.lost
		for _, own := range h.own {
			c.set.Commits = append(c.set.Commits, memory.Commit{ID: own.id.String(), Subject: own.subject})
		}
		c.own, c.touched, err = c.objects.compose(ctx, h.own)
	}
	if unknown := c.reveal(); err == nil {
		err = unknown
	}
	if err == nil {
		for _, maybe := range h.maybe {
			c.set.PossibleCommits = append(c.set.PossibleCommits, memory.Commit{ID: maybe.id.String(), Subject: maybe.subject})
		}
		c.maybe, _, err = c.objects.compose(ctx, h.maybe)
	}
	if err == nil && h.rewritten {
		c.own, err = c.objects.news(c.own, c.start.head())
	}
	if err == nil && len(h.own) > 0 && len(c.touched) <= MaxPatchPaths {
		c.set.Patch = c.repo.patchIDs(ctx, h.own)
	}
	if err == nil {
		c.set.Changes.Items, err = c.contents.list(ctx, c.committed())
	}
	if err == nil {
		c.others, _, err = c.objects.compose(ctx, h.others)
	}
	if err != nil {
		c.historyErr = err
		c.set.Changes.Unread = git.OneLine(err.Error())
	}
}

// committed are the run's net changes, and those that may be. A commit that took
// in what was changed before counts only from there.
func (c *comparison) committed() []listed {
	out := make([]listed, 0, len(c.own))
	c.inCommits = make(map[string]edits.Mixed, len(c.own))
	for _, n := range c.own {
		c.inCommits[n.path] = c.inCommit(n)
		l := listed{netChange: n, verdict: verdict{certainty: memory.Shown, mixed: c.inCommits[n.path]}}
		if d, dirty := c.start.dirty[n.path]; dirty {
			base := d.Now
			l.note, l.base = d.Now.noteBefore(), &base
		}
		out = append(out, l)
	}
	for _, n := range c.maybe {
		if !c.touched[n.path] {
			out = append(out, listed{netChange: n, verdict: verdict{certainty: memory.Possible, mixed: edits.MixedUnknown}})
		}
	}
	return out
}

// inCommit says whether somebody else's change is inside what the run's
// commits did to a path.
func (c *comparison) inCommit(n netChange) edits.Mixed {
	now, dirty := c.end.dirty[n.path]
	here := n.after.exists()
	if dirty {
		here = now.Now.exists()
	}
	return c.whose.committed(moved{
		path: n.path, changedAt: c.repo.tree.changedAt(n.path, here, c.looked), existed: n.before.exists(), here: here, later: dirty,
		mode:   otherMode(n.before, n.after),
		before: c.contents.textID(n.path, c.startOf(n)), now: c.contents.textID(n.path, n.after), base: c.contents.textID(n.path, n.before),
	})
}

// otherMode says whether a file has another mode than it had, or than a new one
// has that is merely written.
func otherMode(before, after file) bool {
	was := uint32(git.ModeFile)
	if before.exists() {
		was = before.Mode
	}
	return after.exists() && after.Mode != was
}

// startOf is what the work tree held at the start of a path that the run
// committed.
func (c *comparison) startOf(n netChange) file {
	if d, dirty := c.start.dirty[n.path]; dirty {
		return d.Now
	}
	return n.before
}

// workTree fills in what moved in the work tree.
func (c *comparison) workTree(ctx context.Context) {
	mine, rest, err := c.edits(ctx)
	if err == nil {
		c.mine = mine
		c.set.Uncommitted.Items, err = c.contents.list(ctx, mine)
	}
	if err == nil {
		c.set.Meanwhile.Items = c.meanwhile(rest)
	}
	var problems []string
	if err != nil {
		problems = append(problems, git.OneLine(err.Error()))
	}
	if len(c.start.Unread) > 0 {
		problems = append(problems, "at the start: "+c.start.Unread.String())
	}
	if len(c.end.Unread) > 0 {
		problems = append(problems, c.end.Unread.String())
	}
	why := strings.Join(problems, "; ")
	c.set.Uncommitted.Unread, c.set.Meanwhile.Unread = why, why
	if c.historyErr != nil && why == "" {
		c.set.Meanwhile.Unread = git.OneLine(c.historyErr.Error())
	}
}

func (c *comparison) edits(ctx context.Context) (mine, rest []listed, err error) {
	w := workEdits{repo: c.repo, objects: c.objects, start: c.start, end: c.end, committed: c.touched, net: map[string]bool{}}
	for _, n := range c.own {
		w.net[n.path] = true
	}
	w.judge = func(l listed, then file) verdict {
		here := l.after.exists() || l.letter != 0
		v := c.whose.of(moved{
			path: l.path, changedAt: c.repo.tree.changedAt(l.path, here, c.looked), existed: then.exists(), here: here,
			mode:   otherMode(then, l.after),
			before: c.contents.textID(l.path, then), now: c.contents.textID(l.path, l.after), base: c.contents.textID(l.path, l.before),
		})
		if then.Unknown && v.certainty != "" && v.mixed == edits.MixedNo {
			v.mixed = edits.MixedUnknown // nobody knows what the run found there
		}
		return v
	}
	if w.startTree, err = c.objects.treeOf(c.start.head()); err != nil {
		return nil, nil, err
	}
	if w.endTree, err = c.objects.treeOf(c.end.head()); err != nil {
		return nil, nil, err
	}
	return w.split(ctx)
}

// meanwhile lists, without counts, what others committed and what moved
// beside the run.
func (c *comparison) meanwhile(rest []listed) []memory.Change {
	seen := map[string]bool{}
	var out []memory.Change
	add := func(n netChange, letter memory.Status) {
		if seen[n.path] {
			return
		}
		seen[n.path] = true
		if letter == 0 {
			letter = status(n.before, n.after)
		}
		out = append(out, memory.Change{Status: letter, Path: n.path})
	}
	for _, n := range c.maybe {
		seen[n.path] = true // told in Changes
	}
	for _, n := range c.others {
		add(n, 0)
	}
	for _, l := range rest {
		add(l.netChange, l.letter)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Path < out[j].Path })
	return out
}

func (c *comparison) remarks() {
	if c.pulled > 0 {
		c.remark("pulled " + commitCount(c.pulled))
	}
	if c.lost > 0 {
		c.remark(commitCount(c.lost) + " from before on no branch any more")
	}
	var own []string
	for _, call := range c.whose.calls.all {
		for p := range call.wrote {
			if line := "edited " + git.OneLine(path.Clean(p)); isOwn(p) && !slices.Contains(own, line) {
				own = append(own, line)
			}
		}
	}
	sort.Strings(own)
	c.set.Remarks = append(c.set.Remarks, own...)
}

func (c *comparison) remark(line string) { c.set.Remarks = append(c.set.Remarks, line) }

func commitCount(n int) string {
	if n == 1 {
		return "1 commit"
	}
	return fmt.Sprintf("%d commits", n)
}
