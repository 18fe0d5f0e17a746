package api

// MemoryUpgrade says which entries of memory were written in the newest version of their
// layout.
type MemoryUpgrade struct {
	DryRun  bool     `json:"dry_run"` // nothing was changed
	Files   []string `json:"files"`   // the files that changed, or would; relative to the memory folder
	Entries int      `json:"entries"` // how many entries and notes were rewritten, or would be
	Left    int      `json:"left"`    // how many stay as they are: a person edited them, and the new layout has no place for a line
	Diff    string   `json:"diff"`    // the change in the unified format
}
