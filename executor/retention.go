package executor

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"agentflow/executor/runfolder"
)

// runSize is the size of a run folder for retention.
type runSize struct {
	dir   string
	bytes int64
	// needed says that the run is live, is not recorded, or may have been active at the same
	// time as a live run.
	needed bool
}

// prune removes the oldest run folders beyond the limits. A folder that cannot be removed
// stays, and counts again next time.
func prune(runsDir string) {
	runs := runSizes(runsDir)
	if len(surplus(runs, runfolder.KeepRuns, runfolder.KeepBytes)) == 0 {
		return
	}
	markNeeded(runs)
	for _, dir := range surplus(runs, runfolder.KeepRuns, runfolder.KeepBytes) {
		os.RemoveAll(dir)
	}
}

// surplus returns the folders to remove. The runs are ordered oldest first.
func surplus(runs []runSize, maxRuns int, maxBytes int64) []string {
	var out []string
	var count int
	var bytes int64
	for _, run := range slices.Backward(runs) {
		count++
		bytes += run.bytes
		if !run.needed && (count > maxRuns || bytes > maxBytes) {
			out = append(out, run.dir)
			count--
			bytes -= run.bytes
		}
	}
	return out
}

func runSizes(runsDir string) []runSize {
	dirs := runfolder.Folders(runsDir)
	runs := make([]runSize, 0, len(dirs))
	for _, dir := range dirs {
		runs = append(runs, runSize{dir: dir, bytes: folderBytes(dir)})
	}
	return runs
}

// markNeeded marks the runs that must stay. They include runs that ended after a live one
// began, because that run still has to find out that it shared the work tree.
func markNeeded(runs []runSize) {
	oldest := markUnrecorded(runs)
	if oldest.IsZero() {
		return
	}
	for i := range runs {
		if !runs[i].needed {
			j, err := runfolder.ReadJournal(runs[i].dir)
			runs[i].needed = err != nil || !j.Ended.Before(oldest)
		}
	}
}

// markUnrecorded marks the runs that are not recorded. It returns when the oldest active one of
// them began, or the zero time if none is active.
func markUnrecorded(runs []runSize) (oldest time.Time) {
	for i := range runs {
		if runfolder.IsRecorded(runs[i].dir) {
			continue
		}
		j, err := runfolder.ReadJournal(runs[i].dir)
		goesOn := isOpenSegment(j) || runfolder.Live(runs[i].dir)
		runs[i].needed = goesOn || err != nil || j.Stage != runfolder.StageRecorded
		if goesOn && err == nil && (oldest.IsZero() || j.Started.Before(oldest)) {
			oldest = j.Started
		}
	}
	return oldest
}

func folderBytes(dir string) int64 {
	var sum int64
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if info, err := d.Info(); err == nil && !d.IsDir() {
			sum += info.Size()
		}
		return nil
	})
	return sum
}
