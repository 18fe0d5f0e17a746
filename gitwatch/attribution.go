package gitwatch

import (
	"slices"
	"time"

	"agentflow/gitwatch/calls"
	"agentflow/gitwatch/edits"
	"agentflow/memory"
)

// runEvidence is what is known of a run, by which its changes are judged.
type runEvidence struct {
	started, ended, lastSeen time.Time // ended is zero for a recovered run; lastSeen is the last sign that that one was on
	tells                    bool      // the agent tells of its calls
	ownTree                  bool      // the work tree was made for the run
	calls, others            []calls.Call
}

// attribution judges whose the changes are that happened while a run was on.
type attribution struct {
	tells          bool
	ownTree        bool
	started, ended time.Time // of a run that was cut short, the last sign of it; what came later may be anybody's
	calls, others  callList
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
func newAttribution(p *place, ev runEvidence) *attribution {
	ended := ev.ended
	if ended.IsZero() && !ev.lastSeen.IsZero() {
		ended = ev.lastSeen.Add(-tick) // what came right after it may have a ctime from before
	}
	return &attribution{
		tells: ev.tells, ownTree: ev.ownTree, started: ev.started, ended: ended,
		calls:  newCallList(fileCalls(p, ev.calls, ev.started), ended),
		others: newCallList(fileCalls(p, ev.others, ev.started), time.Time{}),
	}
}

// of judges one change.
func (a *attribution) of(m moved) verdict {
	mine := a.calls.naming(m)
	v := verdict{certainty: a.certainty(m, mine)}
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

// certainty says how sure it is that the run changed a path; mine are its calls
// that name it.
func (a *attribution) certainty(m moved, mine []fileCall) memory.Certainty {
	byTool := slices.ContainsFunc(mine, func(c fileCall) bool { return c.writesTo(m.path) })
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
	case a.mayHave(m) || slices.ContainsFunc(mine, func(c fileCall) bool { return c.mayHaveWritten(m) }):
		return memory.Possible
	}
	return ""
}

// mayHave says whether a change can be the run's without anything that names
// it.
func (a *attribution) mayHave(m moved) bool {
	switch {
	case !a.tells:
		run := fileCall{Call: calls.Call{Began: a.started}}
		return !a.ended.IsZero() && (m.changedAt.IsZero() || run.within(m.changedAt, a.ended) || !m.here)
	case m.changedAt.IsZero():
		return slices.ContainsFunc(a.calls.all, func(c fileCall) bool { return c.mayRemove(m.path) })
	case !m.here:
		// It went at some time before its folder's last change.
		return slices.ContainsFunc(a.calls.all, func(c fileCall) bool {
			return c.mayRemove(m.path) && !c.Ended.IsZero() && !m.changedAt.Before(c.Began.Add(-tick))
		})
	}
	return a.calls.on(m.path, m.changedAt)
}
