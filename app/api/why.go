package api

import (
	"time"

	"agentflow/memory"
	"agentflow/memory/changeset"
)

// Why says which runs and commits made some lines of a file, or a path, what
// it is.
type Why struct {
	Path    string      `json:"path"`    // relative to the top of the working tree, with '/'
	Kind    string      `json:"kind"`    // lines, file, folder, or gone: the working tree has no such path now
	From    int         `json:"from"`    // the first line that was asked about, from 1; 0 for a whole path
	To      int         `json:"to"`      // the last one
	Lines   int         `json:"lines"`   // how many lines the file has now; 0 for binary files and what is no file
	Origins []WhyOrigin `json:"origins"` // of lines: in their order; of a whole path: the most telling first
	More    int         `json:"more"`    // how many origins of a whole path are left out
	Notes   []string    `json:"notes"`   // what cannot be told, and why, a line each
}

// WhyOrigin is a run, session or commit that some lines, or a path, stem from.
type WhyOrigin struct {
	From      int                 `json:"from"`      // the first of the lines; 0 for a whole path
	To        int                 `json:"to"`        // the last one
	Text      string              `json:"text"`      // the lines, redacted and without control characters; empty for a whole path
	Lines     int                 `json:"lines"`     // how many lines of the file stem from it; of a folder: how many lines it added below
	Commit    *WhyCommit          `json:"commit"`    // that git blame names; of a whole path, the newest of several; null for lines that are not committed
	Entry     *WhyEntry           `json:"entry"`     // that made them; null when memory holds none
	Certainty changeset.Certainty `json:"certainty"` // how sure it is that the entry made them: shown, likely or possible; empty without an entry
	Remark    string              `json:"remark"`    // what else is to be said: why nothing is known, or how it is; else empty
}

// WhyCommit is a commit that lines are of.
type WhyCommit struct {
	ID      string    `json:"id"`      // the full id
	Subject string    `json:"subject"` // the first line of its message
	Time    time.Time `json:"time"`    // of the commit
	Was     string    `json:"was"`     // the full id under which the entry names it, where it was rewritten or copied since; else empty
	Path    string    `json:"path"`    // of the file in that commit
}

// WhyEntry is what memory holds of a run, session or commit; show tells the
// rest.
type WhyEntry struct {
	ID        string         `json:"id"`              // as other commands take it
	Kind      memory.Kind    `json:"kind"`            // run, session or commit
	Title     string         `json:"title"`           // the entry's title
	Task      string         `json:"task"`            // what the agent was asked to do, or the commit's message
	Asked     string         `json:"asked,omitempty"` // of lines of a session: the prompt after which it wrote them, if that is another one than the task
	Agent     string         `json:"agent"`           // empty for a commit
	Model     string         `json:"model"`           // as the agent reported it
	SessionID string         `json:"session_id"`      // the agent's session
	StartedAt time.Time      `json:"started_at"`      // when it began, or the time of the commit
	Outcome   memory.Outcome `json:"outcome"`         // as of a run; empty for a commit
	Open      bool           `json:"open,omitempty"`  // a session that has not ended: its entry is not written yet, and may never be
	Turns     []int          `json:"turns,omitempty"` // of an open session: the numbers of the prompts since its last entry after which it wrote the file, from 1
	Undone    bool           `json:"undone"`          // it was taken back since
	Summary   string         `json:"summary"`         // what the agent said last
	Place     string         `json:"place"`           // of the entry: memory/2026-11-21.md:3-9
	Recalled  []Shown        `json:"recalled"`        // the entries that memory put in front of it before it wrote the file; of lines alone, while the folder of the run is kept
	Facts     []Shown        `json:"recalled_facts"`  // the facts of MEMORY.md that memory put in front of it; as recalled
}
