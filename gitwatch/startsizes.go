package gitwatch

import (
	"os"
	"path/filepath"

	"agentflow/gitwatch/internal/gitindex"
)

// If git converts line ends, the size on disk of a clean file shows which line ends it had. The
// index holds these sizes at no cost. Git replaces the index and never writes into it, so a hard
// link keeps the index of the start.

// startIndex names, in a run's folder, the index at the start of the run.
const startIndex = "before.index"

// keepIndex makes a hard link to the index in the run's folder. If that fails, as on another file
// system, undo restores files with the line ends that git writes.
func (r *Repo) keepIndex(dir string) {
	_ = os.Link(filepath.Join(r.at.GitDir, "index"), filepath.Join(dir, startIndex))
}

// startSizes returns a function for the sizes on disk of files that were as in the index of the
// start. It returns 0 for an unknown size. An index that only git can read has no sizes.
func (c *comparison) startSizes() func(path string) int64 {
	read := map[string]int64{}
	for _, d := range c.start.Sizes {
		read[string(d.Path)] = d.Size
	}
	var index *gitindex.Index
	raw, err := os.ReadFile(filepath.Join(c.ev.Dir, startIndex))
	if err == nil && gitindex.CheckSum(raw, c.repo.at.IDs) == nil {
		index, _ = gitindex.Parse(raw, c.repo.at.IDs)
	}
	return func(path string) int64 {
		if index == nil || read[path] != 0 {
			return read[path]
		}
		e := index.Find(path, index.Folders[0])
		if e == nil || !e.Merged() {
			return 0
		}
		return int64(e.Size())
	}
}
