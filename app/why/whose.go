package why

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"agentflow/app"
	"agentflow/app/run"
	"agentflow/app/settle"
	"agentflow/executor"
	"agentflow/gitwatch/blame"
	"agentflow/gitwatch/edits"
	"agentflow/gitwatch/history"
	"agentflow/internal/lists"
	"agentflow/memory"
	"agentflow/memory/changeset"
)

// whose is the origin of one line.
type whose struct {
	commit    string // full id; empty: it is not committed
	path      string // of the file in that commit
	was       string // the commit that the entry names, if it is another one
	entry     string // id; empty: none
	asked     string // the prompt of the entry after which the line was written; empty: it is unknown
	certainty changeset.Certainty
	remark    string
}

// stretch is some lines of one origin.
type stretch struct {
	from, to int
	whose
}

// stretches groups the lines of hunks by their origins.
func (w *whyFinder) stretches(found blame.File) (list []stretch) {
	defer w.remains.close()
	for _, h := range found.Hunks {
		for i := range h.Count {
			by := w.whoseLine(h, i)
			by.asked = w.turns.askedFor(by.entry, w.text[h.Line+i-1])
			if n := len(list); n > 0 && list[n-1].whose == by && list[n-1].to == h.Line+i-1 {
				list[n-1].to++
				continue
			}
			list = append(list, stretch{h.Line + i, h.Line + i, by})
		}
	}
	return list
}

// whoseLine returns the origin of a line of a hunk.
func (w *whyFinder) whoseLine(h blame.Hunk, offset int) whose {
	by := whose{commit: h.Commit, path: h.Path}
	line := h.Was + offset
	if h.Commit == "" {
		return w.whoseUncommitted(by, h.Line+offset)
	}
	claims := w.makers.claims[h.Commit]
	if len(claims) == 0 || claims[0].how == claimLeft {
		return w.whoseUnnamed(by, claims, line)
	}
	made := slices.DeleteFunc(slices.Clone(claims), func(c claim) bool { return c.how != claimMade })
	switch {
	case claims[0].how == claimMade:
		return w.whoseMade(by, made, line)
	case claims[0].how == claimOwn && slices.ContainsFunc(made, w.isRun):
		if then, state := w.follow(by, made, line); state == followed {
			return then
		}
	}
	return w.whoseNamed(by, claims[0], h.Commit, h.Path, line)
}

// isRun reports whether a claim is of a run or session.
func (w *whyFinder) isRun(c claim) bool {
	return w.stored.entries[c.entry].Entry.Kind != memory.KindCommit
}

// whoseUncommitted returns the origin of an uncommitted line of the work tree, from 1.
func (w *whyFinder) whoseUncommitted(by whose, line int) whose {
	lines := w.remains.linesLeft("", w.now, runsUntil{time: time.Now()})
	var l leftLine
	if line <= len(lines) {
		l = lines[line-1]
	}
	if then, ok := w.current.uncommittedByOpen(by, l); ok {
		return then
	}
	if l.run != "" {
		return by.left(l, "not committed yet", "not committed any more")
	}
	by.remark = w.unknownEdit()
	return by
}

// left returns by with the run that put the line in. The remark says how the line was
// committed if the run left it uncommitted, and again if the run had committed it.
func (by whose) left(l leftLine, remark, again string) whose {
	by.entry, by.certainty, by.remark = l.run, l.certainty, remark
	if l.committed {
		by.remark = again
	}
	if l.mixed == edits.MixedYes {
		by.remark += "; somebody else changed the file too while the run was on"
	}
	return by
}

// Notes about a line of a run in a commit that is not the run's.
const (
	committedLater = "it was left uncommitted, and committed afterwards"
	committedAnew  = "it was committed then, and the commit was rewritten since"
	leftLikeThat   = "the file was left like that, and committed afterwards"
)

// unknownEdit says why the origin of an uncommitted line is unknown.
func (w *whyFinder) unknownEdit() string {
	said := "not committed yet"
	if w.untracked {
		said = "no commit has the file"
	}
	live, err := executor.Live(w.mem.Runs())
	w.degraded = app.AppendError(w.degraded, err)
	live = slices.DeleteFunc(live, func(r executor.LiveRun) bool { return r.Open })
	if len(live) > 0 {
		return fmt.Sprintf("%s; run %s, which is active, may have written it", said, memory.ShortID(live[len(live)-1].ID))
	}
	return said + "; no run with recorded edits wrote it, so a person may have"
}

// whoseNamed returns the origin of a line, from 1, of a commit that an entry names.
func (w *whyFinder) whoseNamed(by whose, c claim, commit, path string, line int) whose {
	e := w.stored.entries[c.entry].Entry
	if commit != by.commit {
		by.was = commit
	}
	if e.Kind == memory.KindCommit {
		l := w.remains.leftAt(commit, path, line, w.remains.until(by.commit))
		if then, ok := w.current.committedByOpen(by); ok {
			return then
		}
		if l.run != "" {
			return by.left(l, committedLater, committedAnew)
		}
		for _, id := range e.Runs {
			if b, ok := w.stored.entry(id); ok && sameLeft(b.Entry, e, path) {
				return by.left(leftLine{run: id, certainty: changeset.LeastCertain(changeset.Likely, run.CertaintyIn(b.Entry, path))}, leftLikeThat, "")
			}
		}
		by.entry, by.certainty = e.ID, changeset.Shown
		return by
	}
	if w.remains.stoodBefore(e.ID, commit, path, line) {
		if l := w.remains.leftAt(commit, path, line, runsUntil{e.Time, e.ID}); l.run != "" {
			return by.left(l, fmt.Sprintf("it was left uncommitted, and %s committed it", memory.ShortID(e.ID)), committedAnew)
		}
		by.entry, by.certainty, by.remark = e.ID, changeset.Possible, "the line stood in the work tree when the run began: the run only committed it"
		return by
	}
	by.entry, by.certainty = e.ID, run.CertaintyIn(e, path)
	switch {
	case c.how == claimPossible:
		by.certainty, by.remark = changeset.Possible, "it is unknown who made the commit during the run"
	case w.remains.mixed(e.ID, path):
		by.certainty, by.remark = changeset.Possible, "somebody else changed the file too while the run was on"
	}
	return by
}

// sameLeft reports whether a commit's entry has a file exactly as a run's entry says
// that the run left it.
func sameLeft(run, commit *memory.Entry, path string) bool {
	at := slices.IndexFunc(commit.Changes.Items, func(c changeset.Change) bool { return c.Path == path && c.Blob != "" })
	return at >= 0 && slices.ContainsFunc(run.Uncommitted.Items, func(c changeset.Change) bool { return c.Path == path && c.Blob == commit.Changes.Items[at].Blob })
}

// whoseMade returns the origin of a line of a commit that was made of others, by following
// the line into them.
func (w *whyFinder) whoseMade(by whose, made []claim, line int) whose {
	then, state := w.follow(by, made, line)
	if state == followed {
		return then
	}
	if l := w.remains.leftAt(by.commit, by.path, line, w.remains.until(by.commit)); l.run != "" {
		return by.left(l, committedLater, committedAnew)
	}
	of := w.changing(made, by.path)
	switch {
	case len(of) == 0:
		by.remark = "the commit was rewritten (amended, squashed or rebased), and no earlier version in memory changed the file"
		return by
	case state == cameAnew:
		by.certainty, by.remark = changeset.Possible, "the line was added when the commit was rewritten (amended, squashed or rebased)"
	case len(of) == 1:
		by.certainty = changeset.LeastCertain(changeset.Likely, run.CertaintyIn(w.stored.entries[of[0].entry].Entry, by.path))
	default:
		by.certainty, by.remark = changeset.Possible, "several entries that became this commit changed the file, and their own commits are gone"
	}
	by.entry, by.was = of[0].entry, last(of[0].as)
	return by
}

func last(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return ids[len(ids)-1]
}

// changing returns the claims of entries that changed a path.
func (w *whyFinder) changing(claims []claim, path string) []claim {
	return slices.DeleteFunc(slices.Clone(claims), func(c claim) bool {
		b, ok := w.stored.entries[c.entry]
		return !ok || !slices.ContainsFunc(b.Entry.Changes.Items, func(ch changeset.Change) bool { return ch.Path == path })
	})
}

// whoseUnnamed returns the origin of a line of a commit that no entry names. claims
// are of runs that left a file as the commit has it.
func (w *whyFinder) whoseUnnamed(by whose, claims []claim, line int) whose {
	l := w.remains.leftAt(by.commit, by.path, line, w.remains.until(by.commit))
	if then, ok := w.current.committedByOpen(by); ok {
		return then
	}
	if l.run != "" {
		return by.left(l, committedLater, committedAnew)
	}
	for _, c := range claims {
		b := w.stored.entries[c.entry]
		if slices.ContainsFunc(b.Entry.Uncommitted.Items, func(ch changeset.Change) bool { return ch.Path == by.path }) {
			return by.left(leftLine{run: c.entry, certainty: changeset.LeastCertain(changeset.Likely, run.CertaintyIn(b.Entry, by.path))}, leftLikeThat, "")
		}
	}
	by.remark = w.unrecorded(by.commit)
	return by
}

// unrecorded says why memory has no entry of a commit.
func (w *whyFinder) unrecorded(commit string) string {
	c := w.makers.blamed[commit]
	if c.Boundary && w.isCut(commit) {
		return "the history of this clone begins here: which commit made it is not known"
	}
	if w.barred == nil {
		barred, err := w.mem.Store.Barred(w.ctx)
		if w.degraded = app.AppendError(w.degraded, err); err != nil {
			barred = func(string) bool { return false }
		}
		w.barred = barred
	}
	if history.IsForgotten(history.Ref{ID: commit, Time: c.Time}, w.barred) {
		return "the entry of this commit was forgotten; 'agentflow memory list --forgotten' names it"
	}
	return "memory holds no entry of this commit; '" + w.recording(commit) + "' records it"
}

// recording returns the command that records a commit of HEAD's history.
func (w *whyFinder) recording(commit string) string {
	if w.recent == nil {
		w.recent = settle.IdSet{}
		refs, err := history.IDs(w.ctx, app.GitFolder(w.mem), history.Range{Last: settle.BackfillLast})
		w.degraded = app.AppendError(w.degraded, err)
		w.recent.Add(lists.Mapped(refs, func(c history.Ref) string { return c.ID })...)
	}
	if w.recent[commit] {
		return "agentflow backfill"
	}
	return "agentflow backfill --last 0"
}

// isCut reports whether a shallow history ends at a commit.
func (w *whyFinder) isCut(commit string) bool {
	if w.shallow == nil {
		w.shallow = []string{}
		if repo, err := w.repo(); err == nil {
			_, ends, err := repo.BranchTips(w.ctx)
			w.degraded = app.AppendError(w.degraded, err)
			w.shallow = append(w.shallow, strings.Fields(ends)...)
		}
	}
	return slices.Contains(w.shallow, commit)
}
