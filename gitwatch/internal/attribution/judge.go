// Package attribution decides whose a change is that happened during a run: by the tool
// calls of the run and of others, by the times of files, and by their contents before
// and after the calls. It reads no file.
package attribution

import (
	"slices"
	"time"

	"agentflow/gitwatch/calls"
	"agentflow/gitwatch/edits"
	"agentflow/gitwatch/internal/repo"
	"agentflow/memory"
)

// Run is what is known of a run, by which its changes are judged.
type Run struct {
	Started, Ended, LastSeen time.Time // ended is zero for a recovered run; lastSeen is the last sign that that one was on
	Tells                    bool      // the agent tells of its calls
	OwnTree                  bool      // the work tree was made for the run
	Calls, Others            []calls.Call
}

// Judge decides whose the changes are that happened during a run.
type Judge struct {
	tells          bool
	ownTree        bool
	started, ended time.Time // of a run that was cut short, the last sign of it; what came later may be anybody's
	Calls, others  callList
}

// Change is a change of one path during a run.
type Change struct {
	Path string
	// ChangedAt is the ctime of what stands there now or, of a deleted path, of
	// the nearest folder above it, which is not earlier than the deletion. The
	// zero time is one that nobody knows.
	ChangedAt       time.Time
	Existed, Exists bool          // before the run, and now
	ModeChanged     bool          // its mode was changed, which file tools do not do
	Before, Now     func() string // TextIDs; empty when the texts cannot be had
	Base            func() string // the TextID of what the change is counted from, which others may have committed
	// ChangedSince says that what stands there now is not what is judged, but a later
	// change.
	ChangedSince bool
}

// Verdict is what is known of a change. Without a certainty it is somebody
// else's.
type Verdict struct {
	Certainty memory.Certainty
	Mixed     edits.Mixed
}

// tick is how far a file's ctime may be behind the clock: kernels take it from
// a timer that moves 100 times a second or more. It is never ahead, so a call
// that ended needs no slack.
const tick = 10 * time.Millisecond

// NewJudge puts the evidence of a run in the order of time.
func NewJudge(p *repo.Place, ev Run) *Judge {
	ended := ev.Ended
	if ended.IsZero() && !ev.LastSeen.IsZero() {
		ended = ev.LastSeen.Add(-tick) // what came right after it may have a ctime from before
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
		if v.Certainty != memory.Shown {
			v.Certainty = memory.Likely
		}
	case v.Certainty == memory.Shown || v.Certainty == memory.Likely:
		v.Mixed = a.mixed(m, mine)
	case v.Certainty == memory.Possible:
		v.Mixed = edits.MixedUnknown
	}
	return v
}

// certainty says how sure it is that the run changed a path; mine are its calls
// that name it.
func (a *Judge) certainty(m Change, mine []fileCall) memory.Certainty {
	byTool := slices.ContainsFunc(mine, func(c fileCall) bool { return c.writesTo(m.Path) })
	likely := slices.ContainsFunc(mine, func(c fileCall) bool { return c.changed(m) })
	othersClaim := slices.ContainsFunc(a.others.naming(m), func(c fileCall) bool { return c.claims(m) })
	switch {
	case byTool:
		return memory.Shown
	case likely && !othersClaim:
		return memory.Likely
	case likely:
		return memory.Possible
	case othersClaim:
		return ""
	case a.mayBeTheRuns(m) || slices.ContainsFunc(mine, func(c fileCall) bool { return c.mayHaveWritten(m) }):
		return memory.Possible
	}
	return ""
}

// mayBeTheRuns says whether a change can be the run's without anything that names
// it.
func (a *Judge) mayBeTheRuns(m Change) bool {
	switch {
	case !a.tells:
		run := fileCall{Call: calls.Call{Began: a.started}}
		return !a.ended.IsZero() && (m.ChangedAt.IsZero() || run.within(m.ChangedAt, a.ended) || !m.Exists)
	case m.ChangedAt.IsZero():
		return slices.ContainsFunc(a.Calls.All, func(c fileCall) bool { return c.mayRemove(m.Path) })
	case !m.Exists:
		// It went at some time before its folder's last change.
		return slices.ContainsFunc(a.Calls.All, func(c fileCall) bool {
			return c.mayRemove(m.Path) && !c.Ended.IsZero() && !m.ChangedAt.Before(c.Began.Add(-tick))
		})
	}
	return a.Calls.anyActive(m.Path, m.ChangedAt)
}

// chain follows one file through the calls of a run that wrote it. Each call
// must find what the one before it left, and what stands there in the end must
// be what the last one left; otherwise somebody else wrote in between.
type chain struct {
	*Judge
	m              Change
	accountedUntil time.Time // up to here all changes are known: of before the run, or its own
	lastText       string    // TextID of what the file held then; empty when not known
	exists         bool      // whether it was there then
	byCommand      bool      // a command wrote it
	matched        bool      // it was, after one of the calls, what is judged
	mixed          edits.Mixed
}

// mixed says whether somebody else's change is inside one of the run's.
func (a *Judge) mixed(m Change, mine []fileCall) edits.Mixed {
	c := chain{Judge: a, m: m, accountedUntil: a.started, exists: m.Existed, lastText: m.Before()}
	for _, call := range mine {
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

// worse keeps the worst that was found.
func (c *chain) worse(m edits.Mixed) {
	if c.mixed != edits.MixedYes && m != edits.MixedNo {
		c.mixed = m
	}
}

// follow checks what a call found, and takes over what it left.
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
		c.accountedUntil, c.lastText, c.exists = call.Ended, calls.NoText, false
	case !looked:
		c.accountedUntil = call.Ended
	case left.After(call.Ended) && !call.Ended.IsZero():
		c.accountedUntil = call.Ended // somebody was faster than we looked
	default:
		c.accountedUntil = left
	}
	c.matched = c.matched || c.lastText != "" && c.lastText == c.m.Now()
}

// checkBefore checks what stood there when a call began.
func (c *chain) checkBefore(call fileCall) {
	w, byTool := call.Wrote[c.m.Path]
	if byTool && w.Before != "" && c.lastText != "" {
		if first := c.accountedUntil.Equal(c.started); w.Before != c.lastText && !(first && w.Before == c.m.Base()) {
			c.unexplained(call.saw[c.m.Path])
		}
		if !c.m.ModeChanged {
			return // else the mode may be somebody's
		}
	}
	saw, looked := call.saw[c.m.Path]
	switch {
	case !looked:
		c.worse(edits.MixedUnknown)
	case saw.IsZero():
		if c.exists {
			c.worse(edits.MixedUnknown) // somebody, or another call, removed it before
		}
	case !c.exists:
		c.worse(edits.MixedUnknown) // it was ignored before, or somebody made it
	case saw.After(c.accountedUntil):
		c.unexplained(saw)
	}
}

// checkNow checks what stands there now.
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
		c.worse(edits.MixedUnknown) // it went after the last call that wrote it
	case c.m.ChangedAt.After(c.accountedUntil):
		c.unexplained(c.m.ChangedAt)
	}
}

// checkCommitted checks what was committed and has changed since: it is the
// run's alone where a call left just that, or where all changes until now are
// those of commands.
func (c *chain) checkCommitted() {
	if !c.matched && (c.lastText != "" || c.m.ChangedAt.IsZero() || c.m.ChangedAt.After(c.accountedUntil)) {
		c.worse(edits.MixedUnknown)
	}
}

// unexplained notes a change that no call of the run explains.
func (c *chain) unexplained(at time.Time) {
	switch {
	case at.IsZero() || !at.After(c.accountedUntil) || c.Calls.anyActive(c.m.Path, at):
		c.worse(edits.MixedUnknown) // a hook of the agent's, another tool, or somebody
	default:
		c.worse(edits.MixedYes)
	}
}

// Committed says how far a path's content is the run's that its own commit holds:
// one that no call wrote was only committed.
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
