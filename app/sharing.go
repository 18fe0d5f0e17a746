package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"agentflow/internal/atomicfile"
	"agentflow/share"
)

// sharing is where a clone's memory is shared, as 'agentflow share' was told.
type sharing struct {
	Remote string     `json:"remote"`
	Ref    string     `json:"ref"`
	What   share.What `json:"what"`
}

// sharingName is the name of the file that says so.
const sharingName = "share.json"

func (s *openMemory) sharingFile() string { return filepath.Join(s.State(), sharingName) }

// sharing is nil where memory is not shared.
func (s *openMemory) sharing() (*sharing, error) {
	data, err := os.ReadFile(s.sharingFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var c sharing
	if err == nil {
		err = json.Unmarshal(data, &c)
	}
	if err != nil {
		return nil, fmt.Errorf("reading how memory is shared: %w", err)
	}
	return &c, nil
}

// mustShare is sharing where there has to be some.
func (s *openMemory) mustShare() (*sharing, error) {
	c, err := s.sharing()
	if err == nil && c == nil {
		err = &Error{Kind: KindRefused, Err: errors.New("memory is not shared here"), Hint: "'agentflow share' shows what would be shared, and begins"}
		if s.isGlobal() {
			err = &Error{Kind: KindRefused, Err: errors.New("your own memory is not shared"), Hint: "'agentflow share --own REMOTE' shows what would be shared, and begins"}
		}
	}
	return c, err
}

// setSharing notes how memory is shared; nil: not any more.
func (s *openMemory) setSharing(c *sharing) error {
	if c == nil {
		return os.Remove(s.sharingFile())
	}
	data, err := json.Marshal(c)
	if err == nil {
		err = os.MkdirAll(s.State(), 0o700)
	}
	if err == nil {
		err = atomicfile.Write(s.sharingFile(), data, 0o600)
	}
	return err
}
