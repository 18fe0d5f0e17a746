package explain

// Message is one message of an agent or a person.
type Message struct {
	Text  string
	Turn  int  // a session's prompts begin turns; a run has one
	Final bool // it ends a turn: no tool call follows it in the turn
	Wrote bool // files were written in its turn before it
	Acted bool // files were written after it, and before the next one

	Commit bool // it is a commit's message; such messages come first, see Commits
	Asked  bool // the person wrote it
	Plan   bool // it is the plan that the agent presented or wrote last. Acted: other files were written after it

	open bool   // see answered
	step string // see planned
}

// Limits of a summary, in words.
const (
	MaxWords   = 120
	maxCommits = 100 // of commits
	enough     = 40  // of one of several commits
)
