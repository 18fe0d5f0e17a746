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

// memo guards the last known of a Repo.
type memo struct {
	mu    sync.Mutex
	last  *known
	clock func() time.Time // nil for the system's
}

// now is the time that settled is asked about.
func (m *memo) now() time.Time {
	if m.clock == nil {
		return time.Now()
	}
	return m.clock()
}

// get returns what is known; the zero known where there is nothing yet.
func (m *memo) get() *known {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.last == nil {
		return &known{}
	}
	return m.last
}

func (m *memo) set(k *known) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.last = k
}

// learned gathers what the next snapshot will know.
type learned struct {
	mu    sync.Mutex
	began time.Time
	known
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
	l.files[path] = knownFile{st, id}
	l.mu.Unlock()
}
