package exchange

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"agentflow/internal/atomicfile"
	"agentflow/internal/share"
)

// state describes the last exchange. If it is lost, the next exchange takes longer.
type state struct {
	Tip      string                    `json:"tip"`               // of the remote's ref, after its folders were accepted
	Accepted map[share.CloneID]known   `json:"accepted"`          // the accepted folders
	Memory   string                    `json:"memory"`            // digest of the listing that was shared
	Rules    string                    `json:"rules"`             // Clone.Rules at that time
	Layout   share.Layout              `json:"layout,omitempty"`  // of the entries that were shared
	Files    map[string]projected      `json:"files"`             // of the memory, by name
	Refused  map[share.CloneID]refusal `json:"refused,omitempty"` // folders of the tip
}

// known is a folder that was checked.
type known struct {
	Tree     string    `json:"tree"`
	Sequence uint64    `json:"sequence"`
	Purged   uint64    `json:"purged,omitempty"`
	Author   string    `json:"author"`
	Time     time.Time `json:"time"`
}

// refusal is a folder in a tree that was not accepted.
type refusal struct {
	Tree  string `json:"tree"`
	Why   string `json:"why"`
	Older uint64 `json:"older,omitempty"` // its sequence number, if that is lower than the accepted one
}

// projected describes a file of the memory and its shared part.
type projected struct {
	Listing string `json:"listing"` // changes with the contents
	Sum     []byte `json:"sum,omitempty"`
	Size    int64  `json:"size,omitempty"`
}

func (c *Clone) stateFile() string { return filepath.Join(c.State, "share-state.json") }

// readState reads the state of the last exchange with this remote and ref.
func (c *Clone) readState() (s state, err error) {
	data, err := os.ReadFile(c.stateFile())
	if err == nil && json.Unmarshal(data, &s) != nil {
		s = state{} // treat it as missing
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if s.Files == nil {
		s.Files = map[string]projected{}
	}
	if s.Refused == nil {
		s.Refused = map[share.CloneID]refusal{}
	}
	return s, err
}

// remember returns the last state. If it was lost, the accepted folders are read from the ref
// that keeps them.
func (c *Clone) remember(ctx context.Context) (state, error) {
	st, err := c.readState()
	if err != nil || st.Accepted != nil {
		return st, err
	}
	st.Accepted = map[share.CloneID]known{}
	tip, err := c.Repo.Tip(ctx, acceptedRef)
	if err != nil || tip == "" {
		return st, err
	}
	u, err := c.reader().unite(ctx, tip, &st, "")
	st.Accepted = u.accepted
	return st, err
}

// Refused lists the folders that the last exchange did not accept.
func (c *Clone) Refused() ([]Refused, error) {
	st, err := c.readState()
	var r Report
	r.tell(nil, nil, st.Refused, st.Refused)
	return r.Refused, err
}

func (c *Clone) writeState(s state) error {
	data, err := json.Marshal(s)
	if err == nil {
		err = atomicfile.Write(c.stateFile(), data, 0o600)
	}
	return err
}
