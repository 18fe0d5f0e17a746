package memory

import (
	"path"
	"strings"
	"time"
)

// The files and folders of the memory folder with a special purpose, besides FeedbackFile and those
// of days and months.
const (
	LastingFile   = "MEMORY.md"                // durable facts, which do not age
	FadedFile     = archiveFolder + "facts.md" // facts that were moved out of MEMORY.md
	archiveFolder = "archive/"
	NotesFolder   = "notes/" // separate files that agents write with the memory tool
)

// CutNotes returns the name of a file relative to NotesFolder, and whether the file is there. The
// text of such a file is an agent's: none of it counts as a person's statement, and no command
// tidies it.
func CutNotes(name string) (rest string, ok bool) { return strings.CutPrefix(name, NotesFolder) }

// InNotes reports whether a file of memory is below NotesFolder.
func InNotes(name string) bool { return strings.HasPrefix(name, NotesFolder) }

// DayFile returns the name of the file of t's day, in t's offset.
func DayFile(t time.Time) string { return t.Format(time.DateOnly) + ".md" }

// DayOf returns the day of a daily file, at midnight UTC.
func DayOf(name string) (time.Time, bool) {
	day, md := strings.CutSuffix(name, ".md")
	t, err := time.Parse(time.DateOnly, day)
	return t, md && err == nil
}

// MonthFile returns the name of the file that the daily files of t's month are folded into.
func MonthFile(t time.Time) string { return archiveFolder + t.Format("2006-01") + ".md" }

// FileTitle returns the first heading of a memory file.
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
