package api

import "time"

// IndexReport is what bringing the index up to date took.
type IndexReport struct {
	Files      int      `json:"files"`       // Markdown files, of memory and included
	Included   int      `json:"included"`    // of these, other Markdown of the repository
	Entries    int      `json:"entries"`     // in the index
	Chunks     int      `json:"chunks"`      // in the index
	Vectors    int      `json:"vectors"`     // chunks that have one
	Pending    int      `json:"pending"`     // chunks that wait for one
	Changed    int      `json:"changed"`     // files that were read anew
	Removed    int      `json:"removed"`     // files that are gone
	Written    int      `json:"written"`     // chunks that were written
	Read       int64    `json:"read_bytes"`  // of Markdown
	Bytes      int64    `json:"bytes"`       // of the index on disk
	Skipped    []string `json:"skipped"`     // files that could not be read, and why
	Rebuilt    bool     `json:"rebuilt"`     // the index was made anew
	DurationMS int64    `json:"duration_ms"` // milliseconds

	Contents *ContentsStatus `json:"contents"` // which names the files of the work tree hold; null outside git, and where it is switched off
}

// BackfillReport is what became of the commits of a history.
type BackfillReport struct {
	Commits    int             `json:"commits"`           // that were looked at
	Recorded   int             `json:"recorded"`          // entries that were written; in a dry run: that would be
	Waiting    int             `json:"waiting"`           // of these, in the log only; the next command finishes them
	Held       int             `json:"held"`              // commits that had an entry, or are a copy of one that has
	OfRuns     int             `json:"of_runs"`           // commits that the entry of a run names
	Forgotten  int             `json:"forgotten"`         // commits whose entry was forgotten, or taken out by hand
	Merges     int             `json:"merges"`            // without changes of their own, which get no entry
	Uncounted  int             `json:"uncounted"`         // commits whose lines could not be counted, as contents are missing from the repository
	Unread     int             `json:"unread"`            // commits without an entry, as their files are missing from the repository
	Undated    int             `json:"undated"`           // commits without an entry, as git cannot read their dates
	Missing    []MissedCommit  `json:"missing,omitempty"` // the first hundred of these three
	DryRun     bool            `json:"dry_run"`           // nothing was written
	Entries    []BackfillEntry `json:"entries,omitempty"` // of a dry run
	DurationMS int64           `json:"duration_ms"`       // milliseconds
}

// MissedCommit is a commit of which something is missing.
type MissedCommit struct {
	Commit string `json:"commit"` // full id
	Title  string `json:"title"`  // its subject
	Unread bool   `json:"unread"` // it got no entry: which files it changed is not known

	Undated bool `json:"undated"` // it got no entry: it has no valid date
}

// BackfillEntry is an entry that a backfill would write.
type BackfillEntry struct {
	ID     string    `json:"id"`     // of the entry
	Commit string    `json:"commit"` // full id
	Time   time.Time `json:"time"`   // of the commit
	Title  string    `json:"title"`  // its subject
}
