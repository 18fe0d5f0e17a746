package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"agentflow/internal/atomicfile"
	"agentflow/internal/safefile"
	"agentflow/internal/share"
)

// Sharing is where a clone's memory is shared, as set by 'agentflow share'.
type Sharing struct {
	Remote string     `json:"remote"`
	Ref    string     `json:"ref"`
	What   share.What `json:"what"`
}

// SharingName is the name of the file that stores a sharing.
const SharingName = "share.json"

func sharingFile(s *Repo) string { return filepath.Join(s.State(), SharingName) }

// ReadSharing returns nil if memory is not shared.
func ReadSharing(s *Repo) (*Sharing, error) {
	data, err := os.ReadFile(sharingFile(s))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var c Sharing
	if err == nil {
		err = json.Unmarshal(data, &c)
	}
	if err != nil {
		return nil, fmt.Errorf("reading how memory is shared: %w", err)
	}
	// Earlier versions kept a relative path as it was given, and git read it from its folder.
	if path := filepath.Join(s.CommonDir, c.Remote); strings.HasPrefix(c.Remote, "..") && safefile.IsDir(path) {
		c.Remote = path
	}
	return &c, nil
}

// StoppedFile stores how memory was shared before sharing was stopped. Memory that was shared
// then, and not withdrawn, is still on the remote.
func StoppedFile(s *Repo) string { return sharingFile(s) + ".stopped" }

// SharedBefore returns how much was shared before sharing was stopped; empty if nothing was.
func SharedBefore(s *Repo) share.What {
	var c Sharing
	data, err := os.ReadFile(StoppedFile(s))
	if err != nil || json.Unmarshal(data, &c) != nil || !c.What.Known() {
		return ""
	}
	return c.What
}

// MustShare is ReadSharing, with an error if memory is not shared.
func MustShare(s *Repo) (*Sharing, error) {
	c, err := ReadSharing(s)
	if err == nil && c == nil {
		err = &Error{Kind: KindRefused, Err: errors.New("memory is not shared here"), Hint: "'agentflow share' shows what would be shared, and begins"}
		if s.IsGlobal() {
			err = &Error{Kind: KindRefused, Err: errors.New("your own memory is not shared"), Hint: "'agentflow share --own REMOTE' shows what would be shared, and begins"}
		}
	}
	return c, err
}

// SetSharing stores how memory is shared; nil ends sharing.
func SetSharing(s *Repo, c *Sharing) error {
	if c == nil {
		return os.Rename(sharingFile(s), StoppedFile(s))
	}
	data, err := json.Marshal(c)
	if err == nil {
		err = os.MkdirAll(s.State(), 0o700)
	}
	if err == nil {
		err = atomicfile.Write(sharingFile(s), data, 0o600)
	}
	return err
}
