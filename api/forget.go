package api

// Forgotten says what was forgotten, or would be.
type Forgotten struct {
	// Forgotten are the ids that left memory, those too that were merged into
	// what went. It is empty when nothing was changed.
	Forgotten []string `json:"forgotten"`
	// Purged says that the text was removed from every store.
	Purged bool `json:"purged"`
	// DryRun says that nothing was changed.
	DryRun bool `json:"dry_run"`
	// Pinned counts what was chosen but is pinned, and stays.
	Pinned int `json:"pinned"`
	// Memories are the entries and facts that go, or would.
	Memories []ForgetTarget `json:"memories"`
}

// ForgetTarget is an entry or a fact that is to be forgotten.
type ForgetTarget struct {
	// ID is its id.
	ID string `json:"id"`
	// Kind is fact, run, commit or note.
	Kind string `json:"kind"`
	// Text is the fact, or the entry's title.
	Text string `json:"text"`
	// Place is where it stands: memory/FILE:LINES.
	Place string `json:"place"`
	// Score is how well it answers the query; absent without a query.
	Score float64 `json:"score,omitempty"`
}

// Pin says what became of an entry or a fact that was to be pinned or unpinned.
type Pin struct {
	// ID is its id.
	ID string `json:"id"`
	// Title is the entry's title, or the fact.
	Title string `json:"title"`
	// File is where it stands, relative to the .agentflow folder.
	File string `json:"file"`
	// Pinned says whether it is pinned now.
	Pinned bool `json:"pinned"`
	// Changed is false when it was so already.
	Changed bool `json:"changed"`
}

// Restored are the entries that were brought back.
type Restored struct {
	// Restored are the entries, in the order of the log.
	Restored []Entry `json:"restored"`
}

// Entry names an entry of memory.
type Entry struct {
	// ID is its id.
	ID string `json:"id"`
	// Title is its title, or the fact of a note.
	Title string `json:"title"`
	// File is where it stands, relative to the memory folder.
	File string `json:"file"`
}
