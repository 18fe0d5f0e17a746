package turns

import "time"

// Moment is what a hook of a session tells of.
type Moment string

// The moments of a session.
const (
	Started   Moment = "started"   // it begins, or goes on
	Asked     Moment = "asked"     // the user has asked something
	Stopped   Moment = "stopped"   // the agent is done with it
	Failed    Moment = "failed"    // the agent's API failed it
	Compacts  Moment = "compacts"  // the agent is about to lose sight of what was said
	Compacted Moment = "compacted" // it has
	Ended     Moment = "ended"     // the session is over
	Left      Moment = "left"      // nobody has said so, but it is: see Abandoned
	Beside    Moment = "beside"    // something that changes nothing, such as a subagent's end
)

// Bounds of a segment.
const (
	// maxChanged is how many turns with changes an entry covers.
	maxChanged = 10
	// MaxIdle is how long a session rests before what it did becomes an entry.
	MaxIdle = 30 * time.Minute
)

// Done is what the turns of the open segment did.
type Done struct {
	Changed   int  // turns with changes
	Committed bool // a commit was made
	Facts     int  // that were said to be remembered
	Denials   int  // actions that were refused
}

// Due says whether the open segment becomes an entry now. One that has nothing
// to tell stays open, so that its prompts stand in the next entry, until the session is over.
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

// Works says whether a moment always leaves work behind that the agent does not
// wait for.
func (m Moment) Works() bool { return m != Asked && m != Compacted && m != Beside }

// EndsTurn says whether a moment comes after a turn, and not before or in one.
func (m Moment) EndsTurn() bool { return m != Started && m != Asked }

// GoesOn says whether another segment follows at once.
func (m Moment) GoesOn() bool { return m != Ended && m != Left }

// Abandoned says whether a session is over though no hook said so: its process
// is gone, or it has rested for too long. alive is asked only for a process that is
// known; last is when something of the session moved last.
func Abandoned(s State, last, now time.Time, alive func(pid int, began string) bool) bool {
	if s.PID != 0 && !alive(s.PID, s.PIDBegan) {
		return true
	}
	return now.Sub(last) > MaxIdle
}
