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
	"agentflow/share"
)

// sharing is where a clone's memory is shared, as set by 'agentflow share'.
type sharing struct {
	Remote string     `json:"remote"`
	Ref    string     `json:"ref"`
	What   share.What `json:"what"`
}

// sharingName is the name of the file that stores a sharing.
const sharingName = "share.json"

func sharingFile(s *openMemory) string { return filepath.Join(s.State(), sharingName) }

// readSharing returns nil if memory is not shared.
func readSharing(s *openMemory) (*sharing, error) {
	data, err := os.ReadFile(sharingFile(s))
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
	// Earlier versions kept a relative path as it was given, and git read it from its folder.
	if path := filepath.Join(s.CommonDir, c.Remote); strings.HasPrefix(c.Remote, "..") && isDir(path) {
		c.Remote = path
	}
	return &c, nil
}

// stoppedFile stores how memory was shared before sharing was stopped. Memory that was shared
// then, and not withdrawn, is still on the remote.
func stoppedFile(s *openMemory) string { return sharingFile(s) + ".stopped" }

// sharedBefore returns how much was shared before sharing was stopped; empty if nothing was.
func sharedBefore(s *openMemory) share.What {
	var c sharing
	data, err := os.ReadFile(stoppedFile(s))
	if err != nil || json.Unmarshal(data, &c) != nil || !c.What.Known() {
		return ""
	}
	return c.What
}

// mustShare is sharing, with an error if memory is not shared.
func mustShare(s *openMemory) (*sharing, error) {
	c, err := readSharing(s)
	if err == nil && c == nil {
		err = &Error{Kind: KindRefused, Err: errors.New("memory is not shared here"), Hint: "'agentflow share' shows what would be shared, and begins"}
		if s.isGlobal() {
			err = &Error{Kind: KindRefused, Err: errors.New("your own memory is not shared"), Hint: "'agentflow share --own REMOTE' shows what would be shared, and begins"}
		}
	}
	return c, err
}

// setSharing stores how memory is shared; nil ends sharing.
func setSharing(s *openMemory, c *sharing) error {
	if c == nil {
		return os.Rename(sharingFile(s), stoppedFile(s))
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
