package scan

import (
	"sync"
	"sync/atomic"
	"time"

	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/gitindex"
	"agentflow/gitwatch/internal/repo"
)

// remembered is what one comparison leaves for the next one of the same work tree, so
// that nothing unchanged is read again. Each part is trusted only while something proves
// that it has not changed: the checksum of the index; for a folder's names and a file's
// contents a stat, ctime included, that was older than the clock's granule.
//
// It does not change once WorkTree holds it.
type remembered struct {
	index   *gitindex.Index
	folders map[string]rememberedFolder // by path, "" or ending in '/'
	files   map[string]rememberedFile   // whose stat differs from the index's, by path
}

// rememberedFolder are the names in a folder.
type rememberedFolder struct {
	stat  Stat
	names folderNames
}

// rememberedFile is the id of a file's bytes, which git does not convert.
type rememberedFile struct {
	stat Stat
	id   string
}

// WorkTree is a work tree as it is compared. It remembers what the last comparison
// leaves for the next.
type WorkTree struct {
	*repo.Place
	last  atomic.Pointer[remembered]
	Clock func() time.Time // nil for the system's
}

// New returns the work tree of a place, without a memory.
func New(p *repo.Place) *WorkTree { return &WorkTree{Place: p} }

// Now is the time by Clock.
func (w *WorkTree) Now() time.Time {
	if w.Clock == nil {
		return time.Now()
	}
	return w.Clock()
}

// lastLook returns what the last comparison left, which is nothing before the first.
func (w *WorkTree) lastLook() *remembered {
	if last := w.last.Load(); last != nil {
		return last
	}
	return &remembered{}
}

// newlySeen gathers what the next comparison will remember.
type newlySeen struct {
	mu    sync.Mutex
	began time.Time
	remembered
}

// add adds a folder's names or a file's id, if its stat, taken before they were read,
// will show any change.
func (l *newlySeen) add(st Stat, to func(*remembered)) {
	if !st.settled(l.began) {
		return
	}
	l.mu.Lock()
	to(&l.remembered)
	l.mu.Unlock()
}

// DiskSize is the size on disk of a file that was read and is as HEAD has it.
type DiskSize struct {
	Path git.Name `json:"path"`
	Size int64    `json:"size"`
}
