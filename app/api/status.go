package api

import "time"

// Status is what memory holds, and whether all is well.
type Status struct {
	Memory         string          `json:"memory"`          // the folder of the Markdown, absolute
	State          string          `json:"state"`           // the folder of the log, the lock and the runs, absolute
	Worktree       string          `json:"worktree"`        // the working tree it was asked in; empty in a bare repository
	Runs           int             `json:"runs"`            // entries of runs
	Sessions       int             `json:"sessions"`        // entries of interactive sessions; a session may have several
	Commits        int             `json:"commits"`         // entries of commits that neither made
	Notes          int             `json:"notes"`           // entries of notes
	Facts          int             `json:"facts"`           // those of all entries and files that are not struck
	Files          int             `json:"files"`           // Markdown files of memory
	LastRun        *Run            `json:"last_run"`        // the newest entry of a run or session; null when there is none
	Live           []LiveRun       `json:"live_runs"`       // that go on now
	Trees          []Worktree      `json:"worktrees"`       // of runs that are over
	Pending        int             `json:"pending"`         // records in the log that are not in Markdown yet
	Vanished       []Entry         `json:"vanished"`        // entries that are gone though nobody forgot them
	Lock           string          `json:"lock"`            // who holds it; empty when it is free
	Watch          *Watcher        `json:"watch"`           // the running watcher or daemon; null when there is none
	Hooks          []Hook          `json:"hooks"`           // of git; empty when none were ever installed
	Schedules      []Schedule      `json:"schedules"`       // as schedule list gives them
	Index          IndexStatus     `json:"index"`           // how the search index is
	Contents       *ContentsStatus `json:"contents"`        // which names the files of the work tree hold; null outside git, and where it is switched off
	FromRepository *FromRepository `json:"from_repository"` // memory that is not believed; null when all is the user's own, or accepted
	Failures       []Failure       `json:"failures"`        // the last ones, oldest first
	Degraded       []string        `json:"degraded"`        // what of this could not be found out, or does not work
	Log            string          `json:"log"`             // the folder of the log, absolute
}

// LiveRun is a run that goes on.
type LiveRun struct {
	ID      string    `json:"id"`         // of the run
	Task    string    `json:"task"`       // what the agent was asked to do
	Agent   string    `json:"agent"`      // its name
	Started time.Time `json:"started_at"` // when it began
}

// Worktree is a working tree that was made for a run which is over.
type Worktree struct {
	Path   string `json:"path"`   // absolute
	Branch string `json:"branch"` // empty when detached
	Remove string `json:"remove"` // the command that takes the working tree away; it refuses while work is only there
}

// Watcher is the process that keeps the index up to date.
type Watcher struct {
	Command string    `json:"verb"`  // watch or daemon
	PID     int       `json:"pid"`   // number of the process
	Host    string    `json:"host"`  // name of the machine
	Since   time.Time `json:"since"` // when it began
}

// IndexStatus is how the search index is.
type IndexStatus struct {
	Path     string `json:"path"`     // of its file, absolute
	State    string `json:"state"`    // current, or what it was when it was opened: absent, stale, …; unusable when it cannot be opened
	Files    int    `json:"files"`    // that are indexed
	Included int    `json:"included"` // of these, other Markdown of the repository
	Entries  int    `json:"entries"`  // in it
	Chunks   int    `json:"chunks"`   // pieces of text in it
	Bytes    int64  `json:"bytes"`    // on disk
	Provider string `json:"provider"` // of vectors, as the settings have it
	Embedder string `json:"embedder"` // whose vectors these are: all that they depend on
	Vectors  int    `json:"vectors"`  // chunks that have one
	Pending  int    `json:"pending"`  // chunks that wait for one
}

// ContentsStatus is how much is known of the files of a work tree.
type ContentsStatus struct {
	Path  string `json:"path"`  // of the file that knows it, absolute
	Files int    `json:"files"` // that were read; 0 before the first
	Bytes int64  `json:"bytes"` // on disk
}

// FromRepository is memory that came with the repository, and that nobody
// accepted: it stays out of prompts.
type FromRepository struct {
	Why   string   `json:"why"`   // it is not believed
	Hint  string   `json:"hint"`  // what to do about it
	Files []string `json:"files"` // relative to the .agentflow folder; empty: all
}

// Failure is something that did not work though a command went on.
type Failure struct {
	Time    time.Time `json:"time"` // when it happened
	Command string    `json:"verb"` // the command, or the part of AgentFlow, that it happened to
	What    string    `json:"what"` // happened
}
