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

	"agentflow/gitwatch/calls"
	"agentflow/gitwatch/edits"
	"agentflow/gitwatch/internal/attribution"
	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/objects"
	"agentflow/memory"
)

// Evidence is what is known about a run beside the repository itself.
type Evidence struct {
	Dir       string    // the run's folder, with refs.log and before/
	Started   time.Time // commits older than this are not the run's
	Ended     time.Time // zero for a recovered run
	Shared    bool      // another run was active in this work tree at the same time
	Recovered bool      // found by a later command: only refs.log and Calls count
	// Keep says whether contents may be left in Dir for edits.Load: those that
	// hold a secret may not. Nil leaves nothing there.
	Keep func(content []byte) bool

	LastSeen time.Time // of a recovered run, the last sign that it was on

	// Tells says that the agent tells of its tool calls: a path that changed
	// in none of them was changed by somebody else. Otherwise the whole run is
	// one call, which names nothing.
	Tells bool
	// Calls are the run's tool calls that may have changed files, in any order.
	Calls []calls.Call
	// Others are the calls of the other runs that were active in this work
	// tree at the same time.
	Others []calls.Call
	// OwnTree says that the work tree was made for this run.
	OwnTree bool
}

func (ev Evidence) ofRun() attribution.Run {
	return attribution.Run{Started: ev.Started, Ended: ev.Ended, LastSeen: ev.LastSeen, Tells: ev.Tells, OwnTree: ev.OwnTree, Calls: ev.Calls, Others: ev.Others}
}

// ChangeSet is what a run changed. Changes, Uncommitted and Meanwhile are
// sorted by path; a path is in at most one of Uncommitted and Meanwhile
// unless commits of others changed it too.
type ChangeSet struct {
	Branch   string          // short branch name at the start; empty when detached
	Worktree string          // name of the linked work tree; empty in the main one
	Base     string          // full id of HEAD at the start; empty when unborn
	Commits  []memory.Commit // the run's commits, oldest first
	Patch    []string        // their stable patch ids, where known
	// PossibleCommits are commits made meanwhile of which nothing tells whose
	// they are: git traced nobody, and a call of the run may have made them.
	PossibleCommits []memory.Commit

	Changes     memory.ChangeList // net effect of Commits
	Uncommitted memory.ChangeList // net work-tree edits of the run
	Meanwhile   memory.ChangeList // what else moved, or cannot be told apart

	Remarks []string // one line each: "pulled 3 commits"
}

// Compare says what a run changed since before was taken by Snapshot. It
// never fails as a whole: a list that could not be read says why.
func (r *Repo) Compare(ctx context.Context, before json.RawMessage, ev Evidence) (set ChangeSet) {
	defer r.orUnread(&set)
	start, err := r.memo.start(before)
	if err != nil {
		set := unreadSet(err)
		set.Worktree = r.at.Linked
		return set
	}
	c := &comparison{repo: r, start: start, ev: ev, objects: objects.Open(ctx, r.at)}
	defer c.objects.Close()
	c.set = ChangeSet{Branch: git.OneLine(git.ShortBranch(string(start.Branch))), Worktree: r.at.Linked, Base: start.Head}
	if c.end, err = r.take(ctx, nil); err != nil {
		set := unreadSet(err)
		set.Branch, set.Worktree, set.Base = c.set.Branch, c.set.Worktree, c.set.Base
		return set
	}
	c.end.byPath()
	c.whose, c.looked = attribution.NewJudge(r.at, ev.ofRun()), time.Now()
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
	objects    *objects.Reader
	contents   contents
	start, end *snapshot
	ev         Evidence
	set        ChangeSet

	whose  *attribution.Judge
	looked time.Time // when the end was looked at

	own, maybe, others []objects.NetChange    // what the run's commits did, those that may be the run's, and those of others
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
			c.set.Commits = append(c.set.Commits, memory.Commit{ID: own.ID.String(), Subject: own.Subject})
		}
		c.own, c.touched, err = c.objects.Compose(ctx, h.own)
	}
	if unknown := c.reveal(); err == nil {
		err = unknown
	}
	if err == nil {
		for _, maybe := range h.maybe {
			c.set.PossibleCommits = append(c.set.PossibleCommits, memory.Commit{ID: maybe.ID.String(), Subject: maybe.Subject})
		}
		c.maybe, _, err = c.objects.Compose(ctx, h.maybe)
	}
	if err == nil && h.rewritten {
		c.own, err = news(c.objects, c.own, c.start.head())
	}
	if err == nil && len(h.own) > 0 && len(c.touched) <= MaxPatchPaths {
		c.set.Patch = c.repo.patchIDs(ctx, h.own)
	}
	if err == nil {
		c.set.Changes.Items, err = c.contents.list(ctx, c.committed())
	}
	if err == nil {
		c.others, _, err = c.objects.Compose(ctx, h.others)
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
		c.inCommits[n.Path] = c.inCommit(n)
		l := listed{NetChange: n, Verdict: attribution.Verdict{Certainty: memory.Shown, Mixed: c.inCommits[n.Path]}}
		if d, dirty := c.start.dirty[n.Path]; dirty {
			base := d.Now
			l.note, l.base = noteBefore(d.Now), &base
		}
		out = append(out, l)
	}
	for _, n := range c.maybe {
		if !c.touched[n.Path] {
			out = append(out, listed{NetChange: n, Verdict: attribution.Verdict{Certainty: memory.Possible, Mixed: edits.MixedUnknown}})
		}
	}
	return out
}

// inCommit says whether somebody else's change is inside what the run's
// commits did to a path.
func (c *comparison) inCommit(n objects.NetChange) edits.Mixed {
	now, dirty := c.end.dirty[n.Path]
	here := n.After.Exists()
	if dirty {
		here = now.Now.Exists()
	}
	return c.whose.Committed(attribution.Change{
		Path: n.Path, ChangedAt: c.repo.tree.ChangedAt(n.Path, here, c.looked), Existed: n.Before.Exists(), Exists: here, ChangedSince: dirty,
		ModeChanged: otherMode(n.Before, n.After),
		Before:      c.contents.textID(n.Path, c.startOf(n)), Now: c.contents.textID(n.Path, n.After), Base: c.contents.textID(n.Path, n.Before),
	})
}

// otherMode says whether a file has another mode than it had, or than a new one
// has that is merely written.
func otherMode(before, after objects.File) bool {
	was := uint32(git.ModeFile)
	if before.Exists() {
		was = before.Mode
	}
	return after.Exists() && after.Mode != was
}

// startOf is what the work tree held at the start of a path that the run
// committed.
func (c *comparison) startOf(n objects.NetChange) objects.File {
	if d, dirty := c.start.dirty[n.Path]; dirty {
		return d.Now
	}
	return n.Before
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
		w.net[n.Path] = true
	}
	w.judge = func(l listed, then objects.File) attribution.Verdict {
		here := l.After.Exists() || l.letter != 0
		v := c.whose.Of(attribution.Change{
			Path: l.Path, ChangedAt: c.repo.tree.ChangedAt(l.Path, here, c.looked), Existed: then.Exists(), Exists: here,
			ModeChanged: otherMode(then, l.After),
			Before:      c.contents.textID(l.Path, then), Now: c.contents.textID(l.Path, l.After), Base: c.contents.textID(l.Path, l.Before),
		})
		if then.Unknown && v.Certainty != "" && v.Mixed == edits.MixedNo {
			v.Mixed = edits.MixedUnknown // nobody knows what the run found there
		}
		return v
	}
	if w.startTree, err = c.objects.TreeOf(c.start.head()); err != nil {
		return nil, nil, err
	}
	if w.endTree, err = c.objects.TreeOf(c.end.head()); err != nil {
		return nil, nil, err
	}
	return w.split(ctx)
}

// meanwhile lists, without counts, what others committed and what moved
// beside the run.
func (c *comparison) meanwhile(rest []listed) []memory.Change {
	seen := map[string]bool{}
	var out []memory.Change
	add := func(n objects.NetChange, letter memory.Status) {
		if seen[n.Path] {
			return
		}
		seen[n.Path] = true
		if letter == 0 {
			letter = status(n.Before, n.After)
		}
		out = append(out, memory.Change{Status: letter, Path: n.Path})
	}
	for _, n := range c.maybe {
		seen[n.Path] = true // told in Changes
	}
	for _, n := range c.others {
		add(n, 0)
	}
	for _, l := range rest {
		add(l.NetChange, l.letter)
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
	for _, call := range c.whose.Calls.All {
		for p := range call.Wrote {
			if line := "edited " + git.OneLine(path.Clean(p)); git.InOwnFolder(p) && !slices.Contains(own, line) {
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
