package gitwatch

import (
	"bytes"
	"encoding/json"
	"sync"
)

// memo is the last snapshot that a Repo gave away.
type memo struct {
	mu    sync.Mutex
	raw   json.RawMessage
	taken *snapshot // what raw says, but for byPath
}

// took keeps a snapshot beside its JSON, which takes long to read again.
func (m *memo) took(raw json.RawMessage, s *snapshot) {
	for i := range s.Dirty {
		s.Dirty[i].Now.disk = false // it is no longer now, and JSON does not tell
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.raw, m.taken = raw, s
}

// start returns the snapshot that raw holds, without reading it where it is
// the last one.
func (m *memo) start(raw json.RawMessage) (*snapshot, error) {
	m.mu.Lock()
	last, taken := m.raw, m.taken
	m.mu.Unlock()
	if taken != nil && bytes.Equal(last, raw) {
		s := *taken
		s.byPath()
		return &s, nil
	}
	return parseSnapshot(raw)
}
