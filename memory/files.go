package memory

import (
	"path"
	"strings"
	"time"
)

// The files of the memory folder that have a part of their own, beside
// FeedbackFile and those of days and months.
const (
	LastingFile   = "MEMORY.md"                // durable facts, which do not age
	FadedFile     = archiveFolder + "facts.md" // facts that left it
	archiveFolder = "archive/"
	NotesFolder   = "notes/" // what agents write with the memory tool, in files of their own
)

// CutNotes is the name of a file below NotesFolder, and whether it is there.
// Its text is an agent's: nothing in it counts as what a person said, and no
// command puts it in order.
func CutNotes(name string) (rest string, ok bool) { return strings.CutPrefix(name, NotesFolder) }

// InNotes says whether a file of memory is below NotesFolder.
func InNotes(name string) bool { return strings.HasPrefix(name, NotesFolder) }

// DayFile is the file of t's day, in t's own offset.
func DayFile(t time.Time) string { return t.Format(time.DateOnly) + ".md" }

// DayOf is the day of a daily file, at midnight UTC.
func DayOf(name string) (time.Time, bool) {
	day, md := strings.CutSuffix(name, ".md")
	t, err := time.Parse(time.DateOnly, day)
	return t, md && err == nil
}

// MonthFile is the file that those of t's month are folded into.
func MonthFile(t time.Time) string { return archiveFolder + t.Format("2006-01") + ".md" }

// FileTitle is what the first heading of a memory file says.
func FileTitle(name string) string {
	switch name {
	case LastingFile:
		return "Memory"
	case FadedFile:
		return "Facts that left " + LastingFile
	}
	return strings.TrimSuffix(path.Base(name), ".md")
}

// FileEdit is one file of memory before and after a change.
type FileEdit struct {
	File   string // relative to the memory folder, '/' separated
	Before []byte // its contents, which the change depends on; nil: it does not exist
	After  []byte // its contents after the change; nil: it is removed
}
