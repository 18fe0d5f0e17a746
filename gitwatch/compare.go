package gitwatch

import (
	"cmp"
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
	"agentflow/gitwatch/toolcalls"
	"agentflow/internal/gitdir"
	"agentflow/internal/plural"
	"agentflow/memory/changeset"
)

// Evidence is the input of Compare, and ChangeSet its result.
type (
	Evidence  = toolcalls.Evidence
	ChangeSet = changeset.Set
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

type comparison struct {
	repo       *Repo
	objects    *objects.Reader
	contents   contents
	start, end *snapshot
	ev         Evidence
	set        ChangeSet

	judge  *attribution.Judge
	looked time.Time // when the end was looked at

	// The changes made by the run's commits, by those that may be the run's, and by those of
	// others.
	byRun, possible, byOthers []objects.NetChange

	holdings    map[string][]holding   // by path, from the commits that the run did not make
	mixed       map[string]edits.Mixed // of the paths in byRun
	touched     map[string]bool        // paths that any of the run's commits changed
	uncommitted []listedChange         // the run's edits in the work tree
	beside      []listedChange         // other changes in the work tree
	elsewhere   []*writtenElsewhere    // files that the run wrote outside of its working tree
	historyErr  error
	pulled      int
	lost        int
	rewritten   bool // the branch of the start lost commits
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

// toJudge prepares a change for the judge. start is the file at the start of the run, and exists
// says whether there is one now.
func (c *comparison) toJudge(ch objects.Change, start objects.File, exists bool) attribution.Change {
	wasMode := uint32(git.ModeFile) // mode of a new file that is merely written
	if start.Exists() {
		wasMode = start.Mode
	}
	var changedAt time.Time
	if !c.repo.removed {
		changedAt = c.repo.tree.ChangedAt(ch.Path, exists, c.looked)
	}
	return attribution.Change{
		Path: ch.Path, ChangedAt: changedAt, Existed: start.Exists(), Exists: exists,
		ModeChanged: ch.After.Exists() && ch.After.Mode != wasMode,
		Before:      c.contents.textID(ch.Path, start), Now: c.contents.textID(ch.Path, ch.After), Base: c.contents.textID(ch.Path, ch.Before),
		Texts: c.contents.texts(ch.Path, start, ch.Before),
	}
}

// meanwhile lists, without counts, the commits and the edits of others.
func (c *comparison) meanwhile() []changeset.Change {
	seen := map[string]bool{}
	var out []changeset.Change
	add := func(ch objects.Change, letter changeset.Status) {
		if !seen[ch.Path] {
			out = append(out, changeset.Change{Status: letter, Path: ch.Path})
		}
		seen[ch.Path] = true
	}
	for _, n := range c.possible {
		seen[n.Path] = true // they are in Changes
	}
	taken := map[string]objects.Change{}
	for _, l := range c.uncommitted {
		if l.elsewhere != nil && l.Mixed == edits.MixedNo {
			taken[l.Path] = l.Change
		}
	}
	for _, n := range c.byOthers {
		if n.Change != taken[n.Path] { // otherwise they only committed the run's
			add(n.Change, status(n.Change))
		}
	}
	for _, l := range c.beside {
		add(l.Change, cmp.Or(l.letter, status(l.Change)))
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Path < out[j].Path })
	return out
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

func (c *comparison) remark(line string) { c.set.Remarks = append(c.set.Remarks, line) }
