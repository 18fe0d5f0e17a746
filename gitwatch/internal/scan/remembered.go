package scan

import (
	"sync"
	"time"

	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/gitindex"
	"agentflow/gitwatch/internal/repo"
)

// remembered is what one snapshot leaves for the next one of the same Repo, so
// that what has not changed is not read again. Each part is believed only
// while something of the system vouches for it: the index by its checksum, a
// folder's names and a file's contents by a stat that any change would have
// moved, its ctime included, and that is older than the clock's granule.
//
// It is not changed once it is published.
type remembered struct {
	index   *gitindex.Index
	folders map[string]rememberedFolder // by path, "" or ending in '/'
	files   map[string]rememberedFile   // whose stat differs from the index's, by path
}

// rememberedFolder is what a folder held.
type rememberedFolder struct {
	stat  Stat
	names folderNames
}

// rememberedFile is the id of a file's bytes, which git does not convert.
type rememberedFile struct {
	stat Stat
	id   string
}

// WorkTree is a work tree as it is looked at. It remembers what the last look
// leaves for the next.
type WorkTree struct {
	*repo.Place
	mu    sync.Mutex
	last  *remembered
	Clock func() time.Time // nil for the system's
}

func New(p *repo.Place) *WorkTree { return &WorkTree{Place: p} }

// Now is the time that settled is asked about.
func (w *WorkTree) Now() time.Time {
	if w.Clock == nil {
		return time.Now()
	}
	return w.Clock()
}

// lastLook returns what is known; the zero known where there is nothing yet.
func (w *WorkTree) lastLook() *remembered {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.last == nil {
		return &remembered{}
	}
	return w.last
}

func (w *WorkTree) remember(k *remembered) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = k
}

// newlySeen gathers what the next snapshot will know.
type newlySeen struct {
	mu    sync.Mutex
	began time.Time
	remembered
	found []foundFile // files of known; put there at the end, for the map would often grow
}

type foundFile struct {
	path string
	rememberedFile
}

// publish returns it as one whole.
func (l *newlySeen) publish() *remembered {
	l.files = make(map[string]rememberedFile, len(l.found))
	for _, f := range l.found {
		l.files[f.path] = f.rememberedFile
	}
	return &l.remembered
}

// folder keeps a folder's names if its stat, taken before they were read,
// will tell of any change.
func (l *newlySeen) folder(path string, st Stat, names folderNames) {
	if !st.settled(l.began) {
		return
	}
	l.mu.Lock()
	l.folders[path] = rememberedFolder{st, names}
	l.mu.Unlock()
}

// file does the same for the contents of a file.
func (l *newlySeen) file(path string, st Stat, id string) {
	if !st.settled(l.began) {
		return
	}
	l.mu.Lock()
	l.found = append(l.found, foundFile{path, rememberedFile{st, id}})
	l.mu.Unlock()
}

// DiskSize is the size on disk of a file that was read and is as HEAD has it.
type DiskSize struct {
	Path git.Name `json:"path"`
	Size int64    `json:"size"`
}
