package api

// Forgotten says what was forgotten, or would be.
type Forgotten struct {
	Forgotten []string       `json:"forgotten"` // the ids that left memory, those too that were merged into what went; it is empty when nothing was changed
	Hidden    []string       `json:"hidden"`    // the ids of what others share, and what is not seen here any more
	Purged    bool           `json:"purged"`    // the text was removed from every store
	DryRun    bool           `json:"dry_run"`   // nothing was changed
	Pinned    int            `json:"pinned"`    // counts what was chosen but is pinned, and stays
	Memories  []ForgetTarget `json:"memories"`  // the entries and facts that go, or would
	Cleaned   []string       `json:"cleaned"`   // with purge: the files that the text left, or, where nothing was changed, those besides Markdown that quote it
	Left      []Unreached    `json:"left"`      // with purge: where the text is, or may be, that a purge does not reach
}

// Unreached is a place that a purge does not reach.
type Unreached struct {
	Place  string `json:"place"`  // a file, or a place in words
	Why    string `json:"why"`    // why the text is, or may be, there
	Remedy string `json:"remedy"` // how to remove it there
}

// ForgetTarget is an entry or a fact that is to be forgotten.
type ForgetTarget struct {
	ID        string  `json:"id"`                   // its id; of a file "file:" and its name
	Kind      string  `json:"kind"`                 // fact, run, session, commit, note or file
	Text      string  `json:"text"`                 // the fact, the entry's title, or which file
	Place     string  `json:"place"`                // where it stands: memory/FILE:LINES
	Author    string  `json:"author,omitempty"`     // who shares it: then it is hidden here alone; absent for the user's own
	Score     float64 `json:"score,omitempty"`      // chance that it answers the query, 0 to 1, as of a hit of a search; absent without a query
	RankScore float64 `json:"rank_score,omitempty"` // what they are in order by, as of a hit of a search; absent without a query
}

// Pin says what became of an entry or a fact that was to be pinned or unpinned.
type Pin struct {
	ID      string `json:"id"`      // its id
	Title   string `json:"title"`   // the entry's title, or the fact
	File    string `json:"file"`    // where it stands, relative to the .agentflow folder
	Pinned  bool   `json:"pinned"`  // whether it is pinned now
	Changed bool   `json:"changed"` // false when it was so already
}

// Restored are the entries that were brought back.
type Restored struct {
	Restored []Entry `json:"restored"` // the entries, in the order of the log
}

// Entry names an entry of memory.
type Entry struct {
	ID    string `json:"id"`    // its id
	Title string `json:"title"` // its title, or the fact of a note
	File  string `json:"file"`  // where it stands, or stood, relative to the memory folder
}
