// Package attribution decides who made a change during a run: the run or others. It judges by the
// tool calls of the run and of others, by the times of files, and by their contents before and
// after the calls. It reads no file.
//
// A file is followed through the calls. Content that a file tool wrote counts wherever it is at
// the end: in the work tree, in a commit or stash of another person, or gone.
package attribution

import (
	"slices"
	"time"

	"agentflow/gitwatch/edits"
	"agentflow/gitwatch/internal/repo"
	"agentflow/gitwatch/toolcalls"
	"agentflow/memory/changeset"
)

// Judge decides who made the changes that happened during a run.
type Judge struct {
	tells          bool
	ownTree        bool
	started, ended time.Time // ended is the last sign of a run that was cut short; others may have made a later change
	Calls, others  callList
}

// Change is a change of one path during a run.
type Change struct {
	Path string
	// ChangedAt is the ctime of the file or, for a deleted path, of the nearest folder above it,
	// which is not earlier than the deletion. It is zero if unknown.
	ChangedAt       time.Time
	Existed, Exists bool            // before the run, and now
	ModeChanged     bool            // its mode was changed, which file tools do not do
	Before, Now     func() string   // TextIDs; empty if the texts are not available
	Base            func() string   // the TextID of the file that the change is counted from, which others may have committed
	Texts           func() [][]byte // those of Before and Base that are available, for Replay; nil: none
	ChangedSince    bool            // the file was changed again after the change that is judged
}

// Verdict says how sure it is that the run made a change. Without a certainty, others made it.
type Verdict struct {
	Certainty changeset.Certainty
	Mixed     edits.Mixed
}

// tick limits a ctime's lag behind the clock: kernels take it from a timer that
// advances 100 times a second or more. It is never ahead, so no slack is needed after a call ended.
const tick = 10 * time.Millisecond

// NewJudge sorts the evidence of a run by time.
func NewJudge(p *repo.Place, ev toolcalls.Evidence) *Judge {
	ended := ev.Ended
	if ended.IsZero() && !ev.LastSeen.IsZero() {
		ended = ev.LastSeen.Add(-tick) // a change right after it may have an earlier ctime
	}
	return &Judge{
		tells: ev.Tells, ownTree: ev.OwnTree, started: ev.Started, ended: ended,
		Calls:  newCallList(fileCalls(p, ev.Calls, ev.Started), ended),
		others: newCallList(fileCalls(p, ev.Others, ev.Started), time.Time{}),
	}
}

// Verdict judges one change.
func (a *Judge) Verdict(m Change) Verdict {
	mine := a.Calls.naming(m)
	v := Verdict{Certainty: a.certainty(m, mine)}
	switch {
	case a.ownTree:
		if v.Certainty != changeset.Shown {
			v.Certainty = changeset.Likely
		}
	case v.Certainty == changeset.Shown || v.Certainty == changeset.Likely:
		v.Mixed = a.mixed(m, mine)
	case v.Certainty == changeset.Possible:
		v.Mixed = edits.MixedUnknown
	}
	return v
}

// certainty returns how sure it is that the run changed a path. mine are the run's calls that name
// the path.
func (a *Judge) certainty(m Change, mine []fileCall) changeset.Certainty {
	byTool := slices.ContainsFunc(mine, func(c fileCall) bool { return c.writesTo(m.Path) })
	likely := slices.ContainsFunc(mine, func(c fileCall) bool { return c.changed(m) })
	othersClaim := slices.ContainsFunc(a.others.naming(m), func(c fileCall) bool { return c.claims(m) })
	switch {
	case byTool:
		return changeset.Shown
	case likely && !othersClaim:
		return changeset.Likely
	case likely:
		return changeset.Possible
	case othersClaim:
		return ""
	case a.mayBeTheRuns(m) || slices.ContainsFunc(mine, func(c fileCall) bool { return c.mayHaveWritten(m) }):
		return changeset.Possible
	}
	return ""
}

// mayBeTheRuns reports whether the run may have made a change that none of its calls names.
func (a *Judge) mayBeTheRuns(m Change) bool {
	switch {
	case !a.tells:
		run := fileCall{Call: toolcalls.Call{Began: a.started}}
		return !a.ended.IsZero() && (m.ChangedAt.IsZero() || run.within(m.ChangedAt, a.ended) || !m.Exists)
	case m.ChangedAt.IsZero():
		return slices.ContainsFunc(a.Calls.All, func(c fileCall) bool { return c.mayRemove(m.Path) })
	case !m.Exists:
		// It was deleted at some time before its folder's last change.
		return slices.ContainsFunc(a.Calls.All, func(c fileCall) bool {
			return c.mayRemove(m.Path) && !c.Ended.IsZero() && !m.ChangedAt.Before(c.Began.Add(-tick))
		})
	}
	return a.Calls.anyActive(m.Path, m.ChangedAt)
}

// chain follows one file through the calls of a run that wrote it. Each call must find the file as
// the call before left it, and the last call must have left it as it is now. Otherwise others wrote
// in between.
type chain struct {
	*Judge
	m              Change
	accountedUntil time.Time // all changes up to this time are from before the run, or the run's
	lastText       string    // TextID of the file at that time; empty if unknown
	exists         bool      // whether it existed at that time
	byCommand      bool      // a command wrote it
	matched        bool      // one of the calls left it as it is now
	mixed          edits.Mixed
}

// mixed reports whether one of the run's changes contains a change by others.
func (a *Judge) mixed(m Change, mine []fileCall) edits.Mixed {
	c := chain{Judge: a, m: m, accountedUntil: a.started, exists: m.Existed, lastText: m.Before()}
	for _, call := range replayed(m, mine) {
		if call.writesTo(m.Path) || call.changed(m) {
			c.follow(call)
		}
	}
	if m.ChangedSince {
		c.checkCommitted()
	} else {
		c.checkNow()
	}
	return c.mixed
}

func (c *chain) worse(m edits.Mixed) {
	if c.mixed != edits.MixedYes && m != edits.MixedNo {
		c.mixed = m
	}
}

// follow checks the state that a call found, and adopts the state that it left.
func (c *chain) follow(call fileCall) {
	c.checkBefore(call)
	w, byTool := call.Wrote[c.m.Path]
	c.lastText, c.exists, c.byCommand = "", true, c.byCommand || !byTool
	if byTool {
		c.lastText = w.After
	}
	left, looked := call.left[c.m.Path]
	switch {
	case looked && left.IsZero():
		if byTool {
			c.worse(edits.MixedUnknown) // file tools remove nothing
		}
		c.accountedUntil, c.lastText, c.exists = call.Ended, toolcalls.NoText, false
	case !looked:
		c.accountedUntil = call.Ended
	case left.After(call.Ended) && !call.Ended.IsZero():
		c.accountedUntil = call.Ended // others changed it before we looked
	default:
		c.accountedUntil = left
	}
	c.matched = c.matched || c.lastText != "" && c.lastText == c.m.Now()
}

// checkBefore checks that a call found the file as the chain left it.
func (c *chain) checkBefore(call fileCall) {
	w, byTool := call.Wrote[c.m.Path]
	if byTool && w.Before != "" && c.lastText != "" {
		if first := c.accountedUntil.Equal(c.started); w.Before != c.lastText && !(first && w.Before == c.m.Base()) {
			c.unexplained(call.saw[c.m.Path])
		}
		if !c.m.ModeChanged {
			return // otherwise others may have changed the mode
		}
	}
	saw, looked := call.saw[c.m.Path]
	switch {
	case !looked:
		c.worse(edits.MixedUnknown)
	case saw.IsZero():
		if c.exists {
			c.worse(edits.MixedUnknown) // others, or another call, removed it before
		}
	case !c.exists:
		c.worse(edits.MixedUnknown) // it was ignored before, or others created it
	case saw.After(c.accountedUntil):
		c.unexplained(saw)
	}
}

// checkNow checks that the file is now as the last call left it.
func (c *chain) checkNow() {
	now := c.m.Now()
	switch {
	case c.m.ModeChanged && !c.byCommand:
		c.worse(edits.MixedUnknown)
	case c.lastText != "" && now != "":
		if now != c.lastText || c.m.ModeChanged && c.m.ChangedAt.After(c.accountedUntil) {
			c.unexplained(c.m.ChangedAt)
		}
	case !c.m.Exists && !c.exists:
	case c.m.ChangedAt.IsZero():
		c.worse(edits.MixedUnknown)
	case !c.m.Exists:
		c.worse(edits.MixedUnknown) // it was removed after the last call that wrote it
	case c.m.ChangedAt.After(c.accountedUntil):
		c.unexplained(c.m.ChangedAt)
	}
}

// checkCommitted checks a file that was committed and has changed since. The commit is only the
// run's if a call left exactly these contents, or if all changes until now were made by commands of
// the run.
func (c *chain) checkCommitted() {
	if !c.matched && (c.lastText != "" || c.m.ChangedAt.IsZero() || c.m.ChangedAt.After(c.accountedUntil)) {
		c.worse(edits.MixedUnknown)
	}
}

// unexplained records a change that no call of the run explains.
func (c *chain) unexplained(at time.Time) {
	switch {
	case at.IsZero() || !at.After(c.accountedUntil) || c.Calls.anyActive(c.m.Path, at):
		c.worse(edits.MixedUnknown) // a hook of the agent's, another tool, or others
	default:
		c.worse(edits.MixedYes)
	}
}

// Committed reports whether a path's content in the run's commit is the run's. If no call wrote the
// path, the run only committed it.
func (a *Judge) Committed(m Change) edits.Mixed {
	v := a.Verdict(m)
	switch {
	case v.Certainty != "" || a.ownTree:
		return v.Mixed
	case m.ChangedAt.IsZero() || m.ChangedSince:
		return edits.MixedUnknown
	}
	return edits.MixedOnlyCommitted
}
