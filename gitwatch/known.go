package gitwatch

import (
	"sync"
	"time"
)

// known is what one snapshot leaves for the next one of the same Repo, so
// that what has not changed is not read again. Each part is believed only
// while something of the system vouches for it: the index by its checksum, a
// folder's names and a file's contents by a stat that any change would have
// moved, its ctime included, and that is older than the clock's granule.
//
// It is not changed once it is published.
type known struct {
	index   *gitIndex
	folders map[string]knownFolder // by path, "" or ending in '/'
	files   map[string]knownFile   // whose stat differs from the index's, by path
}

// knownFolder is what a folder held.
type knownFolder struct {
	stat  fileStat
	names folderNames
}

// knownFile is the id of a file's bytes, which git does not convert.
type knownFile struct {
	stat fileStat
	id   string
}

// workTree is a work tree as it is looked at. It remembers what the last look
// leaves for the next.
type workTree struct {
	*place
	mu    sync.Mutex
	last  *known
	clock func() time.Time // nil for the system's
}

func newWorkTree(p *place) *workTree { return &workTree{place: p} }

// now is the time that settled is asked about.
func (w *workTree) now() time.Time {
	if w.clock == nil {
		return time.Now()
	}
	return w.clock()
}

// lastKnown returns what is known; the zero known where there is nothing yet.
func (w *workTree) lastKnown() *known {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.last == nil {
		return &known{}
	}
	return w.last
}

func (w *workTree) remember(k *known) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = k
}

// learned gathers what the next snapshot will know.
type learned struct {
	mu    sync.Mutex
	began time.Time
	known
	found []foundFile // files of known; put there at the end, for the map would often grow
}

type foundFile struct {
	path string
	knownFile
}

// all returns it as one whole.
func (l *learned) all() *known {
	l.files = make(map[string]knownFile, len(l.found))
	for _, f := range l.found {
		l.files[f.path] = f.knownFile
	}
	return &l.known
}

// folder keeps a folder's names if its stat, taken before they were read,
// will tell of any change.
func (l *learned) folder(path string, st fileStat, names folderNames) {
	if !st.settled(l.began) {
		return
	}
	l.mu.Lock()
	l.folders[path] = knownFolder{st, names}
	l.mu.Unlock()
}

// file does the same for the contents of a file.
func (l *learned) file(path string, st fileStat, id string) {
	if !st.settled(l.began) {
		return
	}
	l.mu.Lock()
	l.found = append(l.found, foundFile{path, knownFile{st, id}})
	l.mu.Unlock()
}
