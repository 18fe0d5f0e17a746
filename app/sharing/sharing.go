// Package sharing says where a memory is shared, and which memory of others is mirrored here.
package sharing

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"agentflow/app"
	"agentflow/internal/atomicfile"
	"agentflow/internal/safefile"
	"agentflow/internal/share"
)

// Target is where a clone's memory is shared, as set by 'agentflow share'.
type Target struct {
	Remote string     `json:"remote"`
	Ref    string     `json:"ref"`
	What   share.What `json:"what"`
}

// FileName names the file that stores a sharing.
const FileName = "share.json"

func sharingFile(s *app.Repo) string { return filepath.Join(s.State(), FileName) }

// Read returns nil if memory is not shared.
func Read(s *app.Repo) (*Target, error) {
	data, err := os.ReadFile(sharingFile(s))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var c Target
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
func StoppedFile(s *app.Repo) string { return sharingFile(s) + ".stopped" }

// Before returns how much was shared before sharing was stopped; empty if nothing was.
func Before(s *app.Repo) share.What {
	var c Target
	data, err := os.ReadFile(StoppedFile(s))
	if err != nil || json.Unmarshal(data, &c) != nil || !c.What.Known() {
		return ""
	}
	return c.What
}

// MustRead calls Read, and fails if memory is not shared.
func MustRead(s *app.Repo) (*Target, error) {
	c, err := Read(s)
	if err == nil && c == nil {
		err = &app.Error{Kind: app.KindRefused, Err: errors.New("memory is not shared here"), Hint: "'agentflow share' shows what would be shared, and begins"}
		if s.IsGlobal() {
			err = &app.Error{Kind: app.KindRefused, Err: errors.New("your own memory is not shared"), Hint: "'agentflow share --own REMOTE' shows what would be shared, and begins"}
		}
	}
	return c, err
}

// Set stores how memory is shared; nil ends sharing.
func Set(s *app.Repo, c *Target) error {
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
