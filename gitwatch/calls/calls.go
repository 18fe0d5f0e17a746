// Package calls is what an agent's tool calls tell of the files they wrote:
// when each call was on, which files it names as written, and how those stood
// before. From that it judges how sure it is that a change is the run's, and
// whether somebody else's change is inside.
//
// Guarantees: it reads and writes nothing. A word of a command counts as
// named only where the command writes to it: a file that is only read is not
// the run's because somebody else changed it meanwhile.
//
// Not guaranteed: of two changes of one file within one shell command that
// writes it, nothing tells whose the second is.
package calls

import "time"

// Call is one tool call of an agent that may have changed files.
type Call struct {
	Began time.Time `json:"began"`          // not later than its first change of a file
	Ended time.Time `json:"ended,omitzero"` // zero when nobody saw its end
	// Wrote are the files that the agent's own file tool says it wrote.
	Wrote []Write `json:"wrote,omitempty"`
	// Names are the words that its command, or what it printed, names as
	// written: paths that are absolute or relative to any folder.
	Names []string `json:"names,omitempty"`
	// Saw is how files of Wrote and Names stood when the call began.
	Saw []Sight `json:"saw,omitempty"`
	// Background says that it left a process running, which may write until
	// the run ends.
	Background bool `json:"background,omitempty"`
}

// Write is a file that an agent's file tool wrote.
type Write struct {
	Path string `json:"path"` // absolute, or relative to the work tree
	// Before and After are the TextIDs of what the tool found and left: empty
	// when the tool does not tell, NoText for a file that was not there.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// Sight is a file at one moment. ChangedAt is its ctime; the zero time is a
// file that was not there.
type Sight struct {
	Path      string    `json:"path"`
	ChangedAt time.Time `json:"changed_at,omitzero"`
}
