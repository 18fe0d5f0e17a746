package api

import "time"

// Sync is what a sync of shared memory did.
type Sync struct {
	Remote     string   `json:"remote"`      // its name or address
	Clone      string   `json:"clone"`       // id of this clone
	Pushed     bool     `json:"pushed"`      // the remote was changed
	Files      []string `json:"files"`       // of this clone's that changed
	Bytes      int64    `json:"bytes"`       // of them
	Clones     int      `json:"clones"`      // that share, this one among them
	News       []string `json:"news"`        // who shared something since
	Refused    []string `json:"refused"`     // folders that were refused for the first time, as "folder: why"
	Healed     int      `json:"healed"`      // folders that the remote had lost, and has again
	Restored   []string `json:"restored"`    // files of the memory that were lost here, and are back
	DryRun     bool     `json:"dry_run"`     // nothing was changed
	DurationMS int64    `json:"duration_ms"` // milliseconds

	Own *Sync `json:"own,omitempty"` // the sync of the user's own memory; absent where it is not shared
}

// Share says how memory is shared.
type Share struct {
	On     bool          `json:"on"`               // memory is shared
	Remote string        `json:"remote,omitempty"` // its name or address
	Ref    string        `json:"ref,omitempty"`    // on the remote
	What   string        `json:"what,omitempty"`   // facts, entries or all
	Auto   bool          `json:"auto"`             // after each run, and in the daemon
	Clones []SharedClone `json:"clones"`           // the others

	Refused []string `json:"refused"` // folders that the last sync refused, as "folder: why"
}

// SharedClone is a clone that shares its memory.
type SharedClone struct {
	ID     string    `json:"id"`     // 32 hexadecimal digits, of its key
	Author string    `json:"author"` // as its git names the user
	Time   time.Time `json:"time"`   // of its last change, by its clock
	Muted  bool      `json:"muted"`  // it is not searched
}
