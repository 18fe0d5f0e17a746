package turns

import "time"

// Moment is the kind of event that a hook of a session reports.
type Moment string

// The moments of a session.
const (
	Started   Moment = "started"   // the session begins, or is resumed
	Asked     Moment = "asked"     // the user sent a prompt
	Stopped   Moment = "stopped"   // the agent has answered it
	Failed    Moment = "failed"    // the agent's API failed it
	Compacts  Moment = "compacts"  // the agent is about to compact its context
	Compacted Moment = "compacted" // the agent has compacted its context
	Ended     Moment = "ended"     // the session is over
	Left      Moment = "left"      // the session is over without a report: see Abandoned
	Beside    Moment = "beside"    // an event without an effect, such as a subagent's end
)

// Limits of a segment.
const (
	// maxChanged is the number of turns with changes that an entry covers.
	maxChanged = 10
	// MaxIdle is how long a session may be idle before its open segment becomes an entry.
	MaxIdle = 30 * time.Minute
)

// Done sums up the turns of the open segment.
type Done struct {
	Changed   int  // turns with changes
	Committed bool // a commit was made
	Facts     int  // tags that ask to remember a fact
	Denials   int  // actions that were refused
}

// Due reports whether the open segment becomes an entry now. A segment without content stays
// open until the session is over, so that the next entry has its prompts.
func Due(m Moment, d Done) bool {
	switch m {
	case Ended, Left:
		return true
	case Stopped, Failed:
		return d.Committed || d.Changed >= maxChanged
	case Compacts:
		return d.Committed || d.Changed+d.Facts+d.Denials > 0
	}
	return false
}

// Works reports whether a moment always causes work in the background, for which the agent does
// not wait.
func (m Moment) Works() bool { return m != Asked && m != Compacted && m != Beside }

// EndsTurn reports whether a moment comes after a turn, and not before or in one.
func (m Moment) EndsTurn() bool { return m != Started && m != Asked }

// GoesOn reports whether another segment follows at once.
func (m Moment) GoesOn() bool { return m != Ended && m != Left }

// Abandoned reports whether a session is over although no hook reported it: its process has
// ended, or it was idle for too long. It calls alive only for a known process. last is the time
// of the session's last activity.
func Abandoned(s State, last, now time.Time, alive func(pid int, began string) bool) bool {
	if s.PID != 0 && !alive(s.PID, s.PIDBegan) {
		return true
	}
	return now.Sub(last) > MaxIdle
}
