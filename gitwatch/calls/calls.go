// Package calls is what an agent's tool calls tell of the files they wrote:
// when each call was on, which files it names as written, and how those stood
// before and after it.
//
// Guarantees: a word of a command counts as named only where the command
// writes to it: a file that is only read is not the run's because somebody
// else changed it meanwhile.
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
	// written: paths that are absolute, relative to the work tree, or begin
	// with Anywhere; shell patterns too.
	Names []string `json:"names,omitempty"`
	// Saw is how files of Wrote and Names stood when the call began, and Left
	// how they stood when it had ended.
	Saw  []Sight `json:"saw,omitempty"`
	Left []Sight `json:"left,omitempty"`
	// Background says that it left a process running, which may write until
	// the run ends.
	Background bool `json:"background,omitempty"`
	// Git says that its command runs git.
	Git bool `json:"git,omitempty"`
}

// Write is a file that an agent's file tool wrote.
type Write struct {
	Path string `json:"path"` // absolute, or relative to the work tree
	// Before and After are the TextIDs of what the tool found and left: empty
	// when the tool does not tell, NoText for a file that was not there.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}
