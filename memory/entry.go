package memory

import (
	"fmt"
	"math"
	"time"
)

// Kind says what an entry records.
type Kind string

// The kinds of entries.
const (
	KindRun    Kind = "run"    // one wrapped agent run
	KindCommit Kind = "commit" // a commit that no run made
	KindNote   Kind = "note"   // a fact told with remember
)

// Outcome says how a run ended.
type Outcome string

// The outcomes of a run.
const (
	OutcomeOK          Outcome = "ok"
	OutcomeFailed      Outcome = "failed"
	OutcomeTimeout     Outcome = "timeout"
	OutcomeInterrupted Outcome = "interrupted"
	OutcomeNotStarted  Outcome = "not_started"
)

// Entry is one dated record of memory: what a run did, what a commit
// changed, or what somebody asked to remember. Any string may hold any
// bytes: Format escapes them so that Parse gives back the same Entry.
type Entry struct {
	ID       string    // UUIDv7; a run's id is its entry's id
	Kind     Kind      //
	Time     time.Time // when the run started; whole seconds, offset kept
	Title    string    // the heading; the task's first line, cut to 80 runes
	Agent    string    // "claude", "command" or a configured name
	Model    string    // as the agent reported it
	Session  string    // the agent's session id, for --resume
	Branch   string    // short branch name at the start; empty when detached
	Worktree string    // name of the linked worktree; empty in the main one
	Base     string    // full id of HEAD at the start; empty when unborn
	Commits  []Commit  // the run's commits, oldest first
	Patch    []string  // patch ids of Commits in their order, "" where there is none; after them that of what several did together
	Runs     []string  // for a commit: ids of the runs whose uncommitted edits it holds
	Pinned   bool      // does not age: set with pin

	Task        string
	Changes     ChangeList // net effect of Commits
	Uncommitted ChangeList // net work-tree edits of the run
	// PossibleCommits are commits that the run may have made: nothing traced
	// who did. Their paths stand in Changes as Possible.
	PossibleCommits []Commit
	Meanwhile       ChangeList // what else moved, or cannot be told apart

	Result  *Result // nil unless Kind is KindRun
	Summary string  // what the agent said last, at most 1,200 characters
	Errors  []string
	Denials []string // actions the permission mode refused
	Facts   []Fact
	Remarks []string // one line each: "pulled 3 commits", "ended 2 processes: …"

	// Extra is text a person put inside the entry that is none of the
	// fields above, in the order it stands. Format never writes it: an entry
	// read from a file keeps its own bytes (see Document).
	Extra string
}

// Commit is one commit of a run: its full id and its subject line.
type Commit struct {
	ID      string `json:"id"`
	Subject string `json:"subject"`
}

// Result is how a run went.
type Result struct {
	Outcome  Outcome
	Success  bool
	ExitCode int
	Duration time.Duration
	Turns    int     // 0 when the agent does not count them
	CostUSD  float64 // 0 when the agent does not report it

	Undone     time.Time // when it was taken back; zero: it stands
	RevertedBy string    // full id of the commit that took its commits back, where one did
}

// ChangeList is one of three answers: changed (Items is not empty), clean
// (both empty), or could not read (Unread says why).
type ChangeList struct {
	Items  []Change
	Unread string
}

// Change is one changed path, or one folder that stands for many.
type Change struct {
	Status  Status // one letter, as git's --name-status
	Path    string // relative to the work tree's root, '/' separated, any bytes
	OldPath string // for a rename or copy
	Added   int    // lines; meaningful when Counted
	Deleted int    // lines; meaningful when Counted
	Counted bool   // false: binary, over 10 MB, or no before-contents
	Files   int    // for StatusFolder: how many paths below Path changed
	Note    string // said in brackets: "already changed before"
	Blob    string // what Path holds afterwards, in Changes and Uncommitted: see ShortBlob; empty when not known
	// Certainty says how sure it is that the run changed Path. It is empty in
	// Meanwhile, and of the commits that no run made. For a folder it is that of
	// the least certain path below.
	Certainty Certainty
}

// Status is the letter of a change.
type Status byte

// The letters of a change: git's, and one of ours for a folded folder.
const (
	StatusAdded    Status = 'A'
	StatusModified Status = 'M'
	StatusDeleted  Status = 'D'
	StatusRenamed  Status = 'R'
	StatusCopied   Status = 'C'
	StatusType     Status = 'T' // file became a link, or the reverse
	StatusUnmerged Status = 'U'
	StatusFolder   Status = '*' // Path is a folder; Files paths below it changed
)

// MaxChanges is how many change lines an entry lists before Fold sums them
// up by folder.
const MaxChanges = 200

// Dollars is a cost without the digits that adding up leaves behind: to a
// millionth of a dollar.
func Dollars(cost float64) float64 { return math.Round(cost*1e6) / 1e6 }

// Price is a cost for people, in cents: less than half a cent is not nothing.
func Price(cost float64) string {
	if cost > 0 && cost < 0.005 {
		return "under $0.01"
	}
	return fmt.Sprintf("$%.2f", cost)
}
