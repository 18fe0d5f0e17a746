package consolidate

import (
	"path"
	"strings"
	"time"
)

// The files that have a part of their own.
const (
	memoryFile    = "MEMORY.md"
	archiveFolder = "archive/"
	factsFile     = archiveFolder + "facts.md" // what left MEMORY.md
)

// dayOf is the day of a daily file, at midnight UTC.
func dayOf(name string) (time.Time, bool) {
	day, md := strings.CutSuffix(name, ".md")
	t, err := time.Parse(time.DateOnly, day)
	return t, md && err == nil
}

// monthFile is the file that a day is folded into.
func monthFile(name string) string { return archiveFolder + path.Base(name)[:len("2006-01")] + ".md" }
