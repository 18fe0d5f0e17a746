package gitwatch

import (
	"os"
	"path/filepath"

	"agentflow/gitwatch/internal/git"
)

// How large a file that is as HEAD has it stood on disk tells which line ends it
// had there, where git converts them. The index says it of all files at no cost:
// git never writes into one, so that a second name keeps the index of the start.

// startIndex is the name, in a run's folder, of the index as the run found it.
const startIndex = "before.index"

// diskSize is the size on disk of a file that was read and is as HEAD has it.
type diskSize struct {
	Path git.Name `json:"path"`
	Size int64    `json:"size"`
}

// keepIndex gives the index a second name in the run's folder. Where that cannot
// be, as on another file system, files that git converts come back converted.
func (r *Repo) keepIndex(dir string) {
	_ = os.Link(filepath.Join(r.at.dir, "index"), filepath.Join(dir, startIndex))
}

// startSizes tells how large files stood on disk at the start.
type startSizes struct {
	index *gitIndex
	read  map[string]int64
}

// startSizes reads the index of the start; one that only git can read tells
// nothing.
func (c *comparison) startSizes() startSizes {
	s := startSizes{read: map[string]int64{}}
	for _, d := range c.start.Sizes {
		s.read[string(d.Path)] = d.Size
	}
	raw, err := os.ReadFile(filepath.Join(c.ev.Dir, startIndex))
	if err != nil || checkSum(raw, c.repo.at.ids) != nil {
		return s
	}
	if x, err := newIndex(raw, c.repo.at.ids); err == nil {
		s.index = x
	}
	return s
}

// of is the size of a file that was as the index has it, 0 where it is not known.
func (s startSizes) of(path string) int64 {
	if size, read := s.read[path]; read {
		return size
	}
	if s.index == nil {
		return 0
	}
	e := s.index.find(path, s.index.folders[0])
	if e == nil || !e.merged() {
		return 0
	}
	return int64(e.size())
}
