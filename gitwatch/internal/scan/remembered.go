package scan

import (
	"sync"
	"sync/atomic"
	"time"

	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/gitindex"
	"agentflow/gitwatch/internal/repo"
)

// remembered is the state that one comparison leaves for the next one of the same work tree, so
// that nothing unchanged is read again. Each part is trusted only while something proves that it
// has not changed: for the index its checksum; for a folder's names and a file's contents a stat,
// including ctime, that was older than the granule of the clock.
//
// It does not change once WorkTree holds it.
type remembered struct {
	index   *gitindex.Index
	folders map[string]rememberedFolder // by path, "" or ending in '/'
	files   map[string]rememberedFile   // those with a stat other than in the index, by path
}

// rememberedFolder holds the names in a folder.
type rememberedFolder struct {
	stat  Stat
	names folderNames
}

// rememberedFile is the id of the bytes of a file that git does not convert.
type rememberedFile struct {
	stat Stat
	id   string
}

// WorkTree is a work tree to be compared. It remembers the state that the last comparison leaves
// for the next.
type WorkTree struct {
	*repo.Place
	last  atomic.Pointer[remembered]
	Clock func() time.Time // nil for the system's
}

// New returns the work tree of a place, without any remembered state.
func New(p *repo.Place) *WorkTree { return &WorkTree{Place: p} }

// Now returns the time by Clock.
func (w *WorkTree) Now() time.Time {
	if w.Clock == nil {
		return time.Now()
	}
	return w.Clock()
}

// lastLook returns the state that the last comparison left, or an empty one before the first.
func (w *WorkTree) lastLook() *remembered {
	if last := w.last.Load(); last != nil {
		return last
	}
	return &remembered{}
}

// newlySeen collects the state that the next comparison will use.
type newlySeen struct {
	mu    sync.Mutex
	began time.Time
	remembered
}

// add adds a folder's names or a file's id if its stat, taken before they were read, will show any
// change.
func (l *newlySeen) add(st Stat, to func(*remembered)) {
	if !st.settled(l.began) {
		return
	}
	l.mu.Lock()
	to(&l.remembered)
	l.mu.Unlock()
}

// DiskSize is the size on disk of a file that was read and is as in HEAD.
type DiskSize struct {
	Path git.Name `json:"path"`
	Size int64    `json:"size"`
}
