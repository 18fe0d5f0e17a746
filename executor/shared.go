package executor

import (
	"os"
	"path/filepath"
	"time"
)

// besides says whether the run in a folder was active in the same work tree
// while the run of journal j was.
func besides(dir string, j journal) (other journal, yes bool) {
	if !live(dir) && !writtenSince(dir, j.Started) {
		return other, false // its journal was last written before this run began
	}
	other, err := readJournal(dir)
	if err != nil && other.WorkTree == "" {
		return other, live(dir) // nobody knows where it runs; a live one may be anywhere
	}
	return other, other.WorkTree == j.WorkTree && overlap(other, j)
}

// overlap compares two runs' times; one without an end goes on.
func overlap(a, b journal) bool {
	startsIn := func(x, y journal) bool {
		return y.Ended.IsZero() || !x.Started.After(y.Ended)
	}
	return startsIn(a, b) && startsIn(b, a)
}

func writtenSince(dir string, t time.Time) bool {
	info, err := os.Stat(filepath.Join(dir, journalFile))
	// File systems keep times more coarsely than clocks do.
	return err == nil && !info.ModTime().Before(t.Add(-2*time.Second))
}

// runFolders lists the folders of runs, oldest first, as their names are
// ordered by time.
func runFolders(runsDir string) []string {
	entries, err := os.ReadDir(runsDir)
	if err != nil {
		return nil
	}
	var dirs []string
	for _, e := range entries {
		if e.IsDir() {
			dirs = append(dirs, filepath.Join(runsDir, e.Name()))
		}
	}
	return dirs
}
