package gitwatch

import (
	"context"
	"encoding/json"
	"path"
	"path/filepath"
	"slices"
	"sort"
	"time"

	"agentflow/gitwatch/edits"
	"agentflow/gitwatch/internal/attribution"
	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/objects"
	"agentflow/internal/gitdir"
	"agentflow/internal/plural"
	"agentflow/memory/changeset"
)

// Compare finds the changes of a run since Snapshot returned before. It never fails as a whole: a
// list that could not be read says why.
func (r *Repo) Compare(ctx context.Context, before json.RawMessage, ev Evidence) (set ChangeSet) {
	defer r.orUnread(&set)
	if !r.removed && gitdir.HasLeft(r.at.CommonDir, r.at.Top) { // since it was opened
		if again, err := OpenAnywhere(ctx, r.at.CommonDir, r.at.Given, r.at.Linked == ""); err == nil {
			return again.Compare(ctx, before, ev)
		}
	}
	start, err := r.start(before)
	if err != nil {
		return ChangeSet{Worktree: r.at.Linked}.AllUnread(git.OneLine(err.Error()))
	}
	set = ChangeSet{Branch: git.OneLine(git.ShortBranch(string(start.Branch))), Worktree: r.at.Linked, Base: start.Head}
	end, err := r.stateNow(ctx, start)
	if err != nil {
		return set.AllUnread(git.OneLine(err.Error()))
	}
	end.byPath()
	if ev.AskOthers != nil {
		ev.Others, ev.Shared = ev.AskOthers()
	}
	c := &comparison{repo: r, start: start, end: end, ev: ev, set: set, objects: objects.Open(ctx, r.at)}
	defer c.objects.Close()
	c.judge, c.looked = attribution.NewJudge(r.at, ev), time.Now()
	c.contents = contents{repo: r, objects: c.objects, unread: map[string]bool{}}
	c.contents.before, _ = edits.OpenCopies(filepath.Join(ev.Dir, beforeFile)) // if this fails there are no copies
	defer c.contents.before.Close()
	c.commits(ctx)
	if r.removed {
		c.remark(removedTree)
	} else {
		c.workTree(ctx)
	}
	c.findElsewhere(ctx)
	c.keepEdits(ctx)
	c.remarks()
	return c.set
}

// stateNow returns the state at the end of a run.
func (r *Repo) stateNow(ctx context.Context, start *snapshot) (*snapshot, error) {
	if r.removed {
		return r.ofRemoved(ctx, start)
	}
	return r.takeSnapshot(ctx, nil)
}

func (c *comparison) commits(ctx context.Context) {
	h, err := c.repo.commitsSince(ctx, c.objects, c.start, c.end, c.ev)
	if err == nil {
		c.pulled, c.lost, c.rewritten = h.pulled, h.lost, h.rewritten
		c.set.Commits, c.set.PossibleCommits = commitNames(h.made), commitNames(h.possible)
		c.set.Messages = messages(h.made)
		c.byRun, c.touched, err = c.objects.Compose(ctx, h.made)
	}
	if unknown := c.addUnseenFiles(); err == nil {
		err = unknown
	}
	if err == nil {
		c.possible, _, err = c.objects.Compose(ctx, h.possible)
	}
	if err == nil && h.rewritten {
		c.byRun, err = c.withoutUnchanged(c.byRun)
	}
	if err == nil && len(h.made) > 0 && len(c.touched) <= MaxPatchPaths {
		c.set.Patch = c.repo.patchIDs(ctx, h.made)
	}
	if err == nil {
		c.set.Changes.Items, err = c.contents.list(ctx, c.committed())
	}
	if err == nil {
		c.byOthers, _, err = c.objects.Compose(ctx, h.others)
	}
	if err == nil && h.rewritten {
		c.byOthers, err = c.withoutUnchanged(c.byOthers)
	}
	if err == nil {
		err = c.findHoldings(ctx, h)
	}
	if err != nil {
		c.historyErr = err
		c.set.Changes.Unread = git.OneLine(err.Error())
	}
}

func commitNames(commits []*objects.Commit) (out []changeset.Commit) {
	for _, c := range commits {
		out = append(out, changeset.Commit{ID: c.ID.String(), Subject: c.Subject})
	}
	return out
}

// messages returns the messages of new commits that have a body. It leaves out a commit that was
// only rebased, because its message is older.
func messages(commits []*objects.Commit) (out []string) {
	for _, c := range commits {
		if c.Body != "" && c.CopyOf == nil {
			out = append(out, c.Subject+"\n\n"+c.Body)
		}
	}
	return out
}

// withoutUnchanged leaves out the paths that HEAD held in the same form at the start. A squash of
// earlier commits commits such contents again.
func (c *comparison) withoutUnchanged(changes []objects.NetChange) (news []objects.NetChange, err error) {
	for _, n := range changes {
		was, err := c.start.inHead(c.objects, n.Path)
		if err != nil {
			return nil, err
		}
		if n.After != was {
			news = append(news, n)
		}
	}
	return news, nil
}

// committed returns the net changes of the run's commits, and of those that may be the run's. Lines
// of a file that had uncommitted changes before are counted from those.
func (c *comparison) committed() []listedChange {
	out := make([]listedChange, 0, len(c.byRun))
	c.mixed = make(map[string]edits.Mixed, len(c.byRun))
	for _, n := range c.byRun {
		c.mixed[n.Path] = c.mixedInCommit(n)
		l := listedChange{NetChange: n, Verdict: attribution.Verdict{Certainty: changeset.Shown, Mixed: c.mixed[n.Path]}}
		if d, dirty := c.start.dirty[n.Path]; dirty {
			l.note, l.base = alreadyChanged, &d.Now
			if d.Now.Unknown {
				l.note = notLookedAt
			}
		}
		out = append(out, l)
	}
	for _, n := range c.possible {
		if !c.touched[n.Path] {
			out = append(out, listedChange{NetChange: n, Verdict: attribution.Verdict{Certainty: changeset.Possible, Mixed: edits.MixedUnknown}})
		}
	}
	return out
}

// mixedInCommit reports whether the run's commits of a path contain a change by others.
func (c *comparison) mixedInCommit(n objects.NetChange) edits.Mixed {
	exists, start := n.After.Exists(), n.Before
	now, dirty := c.end.dirty[n.Path]
	if dirty {
		exists = now.Now.Exists()
	}
	if d, dirty := c.start.dirty[n.Path]; dirty {
		start = d.Now
	}
	change := c.toJudge(n.Change, n.Before, exists)
	change.Before, change.ChangedSince = c.contents.textID(n.Path, start), dirty
	change.Texts = c.contents.texts(n.Path, start, n.Before)
	return c.judge.Committed(change)
}

func (c *comparison) remarks() {
	if c.pulled > 0 {
		c.remark("pulled " + plural.Count(c.pulled, "commit"))
	}
	if c.lost > 0 {
		c.remark(plural.Count(c.lost, "commit") + " from before on no branch any more")
	}
	var edited []string
	for _, call := range c.judge.Calls.All {
		for p := range call.Wrote {
			if line := "edited " + git.OneLine(path.Clean(p)); git.InOwnFolder(p) && !slices.Contains(edited, line) {
				edited = append(edited, line)
			}
		}
	}
	sort.Strings(edited)
	c.set.Remarks = append(c.set.Remarks, edited...)
	for _, commit := range c.taken() {
		c.remark(changeset.NoteTakenAs + commit.ID.String()[:changeset.ShortTaken] + ": " + commit.Subject)
	}
}

// orUnread, deferred, turns a panic into the answer "could not read".
func (r *Repo) orUnread(set *ChangeSet) {
	if err := git.Panic(recover()); err != nil {
		*set = ChangeSet{Worktree: r.at.Linked}.AllUnread(git.OneLine(err.Error()))
	}
}
