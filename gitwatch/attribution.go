package gitwatch

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentflow/gitwatch/calls"
	"agentflow/gitwatch/edits"
	"agentflow/internal/ctime"
	"agentflow/memory"

	"github.com/bmatcuk/doublestar/v4"
)

// attribution judges whose the changes are that happened while a run was on.
type attribution struct {
	tells          bool
	ownTree        bool
	started, ended time.Time // of a run that was cut short, the last sign of it; what came later may be anybody's
	calls, others  []fileCall
}

// fileCall is a call with its paths relative to the work tree's root.
type fileCall struct {
	calls.Call
	wrote     map[string]calls.Write
	names     map[string]bool
	patterns  []string
	saw, left map[string]time.Time // the zero time: not there
	runBegan  time.Time
}

// moved is a path whose change is to be judged.
type moved struct {
	path string
	// changedAt is the ctime of what stands there now or, of a deleted path, of
	// the nearest folder above it, which is not earlier than the deletion. The
	// zero time is one that nobody knows.
	changedAt     time.Time
	existed, here bool          // before the run, and now
	mode          bool          // its mode was changed, which file tools do not do
	before, now   func() string // TextIDs; empty when the texts cannot be had
	base          func() string // the TextID of what the change is counted from, which others may have committed
	// later says that what stands there now is not what is judged, but a later
	// change.
	later bool
}

// verdict is what is known of a change. Without a certainty it is somebody
// else's.
type verdict struct {
	certainty memory.Certainty
	mixed     edits.Mixed
}

// tick is how far a file's ctime may be behind the clock: kernels take it from
// a timer that moves 100 times a second or more. It is never ahead, so a call
// that ended needs no slack.
const tick = 10 * time.Millisecond

// newAttribution puts the evidence of a run in the order of time.
func (r *Repo) newAttribution(ev Evidence) *attribution {
	ended := ev.Ended
	if ended.IsZero() && !ev.LastSeen.IsZero() {
		ended = ev.LastSeen.Add(-tick) // what came right after it may have a ctime from before
	}
	return &attribution{
		tells: ev.Tells, ownTree: ev.OwnTree, started: ev.Started, ended: ended,
		calls: r.fileCalls(ev.Calls, ev.Started), others: r.fileCalls(ev.Others, ev.Started),
	}
}

func (r *Repo) fileCalls(list []calls.Call, runBegan time.Time) []fileCall {
	out := make([]fileCall, 0, len(list))
	for _, c := range list {
		f := fileCall{Call: c, wrote: map[string]calls.Write{}, names: map[string]bool{}, runBegan: runBegan}
		for _, w := range c.Wrote {
			for _, p := range r.below(w.Path) {
				f.wrote[p] = w
			}
		}
		for _, name := range c.Names {
			if strings.ContainsAny(name, "*?[{") {
				f.patterns = append(f.patterns, r.pattern(name))
				continue
			}
			for _, p := range r.below(name) {
				f.names[p] = true
			}
		}
		f.saw, f.left = r.sights(c.Saw), r.sights(c.Left)
		for p, at := range f.saw {
			if at.After(c.Began.Add(-tick)) {
				delete(f.saw, p) // looked at too late: the call had changed it by then
			}
		}
		out = append(out, f)
	}
	slices.SortStableFunc(out, func(a, b fileCall) int { return a.Began.Compare(b.Began) })
	return out
}

// pattern is a shell pattern relative to the work tree.
func (r *Repo) pattern(name string) string {
	for _, root := range []string{r.root, r.asked} {
		if rel, ok := strings.CutPrefix(name, strings.TrimSuffix(root, "/")+"/"); ok {
			return rel
		}
	}
	return name
}

func (r *Repo) sights(list []calls.Sight) map[string]time.Time {
	out := map[string]time.Time{}
	for _, s := range list {
		for _, p := range r.below(s.Path) {
			out[p] = s.ChangedAt
		}
	}
	return out
}

// of judges one change.
func (a *attribution) of(m moved) verdict {
	mine, wrote := a.touches(m)
	v := verdict{certainty: a.certainty(m, mine, wrote)}
	switch {
	case a.ownTree:
		if v.certainty != memory.Shown {
			v.certainty = memory.Likely
		}
	case v.certainty == memory.Shown || v.certainty == memory.Likely:
		v.mixed = a.mixed(m, mine)
	case v.certainty == memory.Possible:
		v.mixed = edits.MixedUnknown
	}
	return v
}

func (a *attribution) certainty(m moved, mine []fileCall, wrote bool) memory.Certainty {
	othersClaim := slices.ContainsFunc(a.others, func(c fileCall) bool { return c.claims(m) })
	likely := slices.ContainsFunc(mine, func(c fileCall) bool { return c.changed(m) })
	switch {
	case wrote:
		return memory.Shown
	case likely && !othersClaim:
		return memory.Likely
	case likely:
		return memory.Possible
	case othersClaim:
		return ""
	case a.mayHave(m) || slices.ContainsFunc(mine, func(c fileCall) bool { return c.mayHaveWritten(m) }):
		return memory.Possible
	}
	return ""
}

// touches are the run's calls that name a path as written, and whether one of
// them is a file tool's.
func (a *attribution) touches(m moved) (mine []fileCall, wrote bool) {
	for _, c := range a.calls {
		_, byTool := c.wrote[m.path]
		if byTool || c.namesPath(m) {
			mine = append(mine, c)
		}
		wrote = wrote || byTool
	}
	return mine, wrote
}

// namesPath says whether a call's command names a path as written; of one
// that is gone, a folder above it is enough.
func (c fileCall) namesPath(m moved) bool {
	if c.names[m.path] || slices.ContainsFunc(c.patterns, func(p string) bool { return doublestar.MatchUnvalidated(p, m.path) }) {
		return true
	}
	return !m.here && c.folderAbove(m.path) != ""
}

// folderAbove is the folder above a path that a call names; empty for none.
func (c fileCall) folderAbove(name string) string {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if c.names[dir] {
			return dir
		}
	}
	return ""
}

// claims says whether another run's call is evidence that it changed a path.
func (c fileCall) claims(m moved) bool {
	_, byTool := c.wrote[m.path]
	return byTool || c.namesPath(m) && (c.changed(m) || c.mayHaveWritten(m))
}

// changed says whether a path was changed within a call that names it: it
// stood there otherwise when the call ended than when it began or, where
// nobody looked, its last change falls into it. Of a deletion that nobody
// looked at, and of a call whose end nobody saw, nothing is known.
func (c fileCall) changed(m moved) bool {
	saw, sawIt := c.saw[m.path]
	left, leftIt := c.left[m.path]
	if sawIt && leftIt {
		return !saw.Equal(left)
	}
	if !m.here {
		return c.removedFolder(m.path)
	}
	return !c.Ended.IsZero() && c.within(m.changedAt, c.Ended)
}

// removedFolder says whether a call removed the folder of a path, in which
// nothing had come or gone since the run began.
func (c fileCall) removedFolder(name string) bool {
	dir := c.folderAbove(name)
	saw, sawIt := c.saw[dir]
	left, leftIt := c.left[dir]
	return dir != "" && dir == path.Dir(name) && sawIt && leftIt && !saw.IsZero() && left.IsZero() && !saw.After(c.runBegan)
}

// within says whether a time falls into a call that ended at the given time;
// the zero time is one that nobody saw.
func (c fileCall) within(at, ended time.Time) bool {
	if at.IsZero() || at.Before(c.Began.Add(-tick)) {
		return false
	}
	return ended.IsZero() || !at.After(ended)
}

// mayHave says whether a change can be the run's without anything that names
// it.
func (a *attribution) mayHave(m moved) bool {
	switch {
	case !a.tells:
		run := fileCall{Call: calls.Call{Began: a.started}}
		return !a.ended.IsZero() && (m.changedAt.IsZero() || run.within(m.changedAt, a.ended) || !m.here)
	case m.changedAt.IsZero():
		return slices.ContainsFunc(a.calls, func(c fileCall) bool { return c.mayRemove(m.path) })
	case !m.here:
		// It went at some time before its folder's last change.
		return slices.ContainsFunc(a.calls, func(c fileCall) bool {
			return c.mayRemove(m.path) && !c.Ended.IsZero() && !m.changedAt.Before(c.Began.Add(-tick))
		})
	}
	return a.inSomeCall(m.path, m.changedAt)
}

// inSomeCall says whether a path's change at a time falls into any call of the
// run, or into what one left running.
func (a *attribution) inSomeCall(name string, at time.Time) bool {
	return slices.ContainsFunc(a.calls, func(c fileCall) bool {
		ended := c.Ended
		if c.Background || ended.IsZero() {
			ended = a.ended
		}
		return !ended.IsZero() && c.within(at, ended) && (c.Background || !c.sawNoChange(name))
	})
}

// mayHaveWritten says that a path which a call names was changed after it began,
// and that nobody saw its end.
func (c fileCall) mayHaveWritten(m moved) bool {
	return c.Ended.IsZero() && (m.changedAt.IsZero() || c.within(m.changedAt, c.Ended))
}

// mayRemove says whether a call may have changed or removed a path that it
// does not name: a file tool touches only its own.
func (c fileCall) mayRemove(name string) bool { return len(c.wrote) == 0 && !c.sawNoChange(name) }

// sawNoChange says that a path stood there when the call ended as it did when
// it began.
func (c fileCall) sawNoChange(name string) bool {
	saw, sawIt := c.saw[name]
	left, leftIt := c.left[name]
	return sawIt && leftIt && saw.Equal(left)
}

// changedAt is the ctime of a path in the work tree or, of a file that is not
// here any more, of the folder in its place or above it. The zero time says
// that none can be had that our clock understands.
func (r *Repo) changedAt(name string, here bool, now time.Time) time.Time {
	if !keepsTimes(r.root) {
		return time.Time{}
	}
	for dir := name; ; dir = path.Dir(dir) {
		info, err := os.Lstat(filepath.Join(r.root, filepath.FromSlash(dir)))
		if err == nil {
			at, ok := ctime.Of(info)
			if !ok || at.After(now.Add(granule)) || here && info.IsDir() {
				return time.Time{}
			}
			return at
		}
		if dir == "." {
			return time.Time{}
		}
	}
}
