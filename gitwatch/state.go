package gitwatch

import (
	"encoding/json"
	"fmt"
	"strings"

	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/objects"
	"agentflow/gitwatch/internal/scan"
)

// beforeFile keeps, in a run's folder, contents of the start.
const beforeFile = "before.zip"

const snapshotVersion = 1

// snapshot is the state of a work tree and its repository at one moment.
type snapshot struct {
	Version int                 `json:"version"`
	Branch  git.Name            `json:"branch,omitempty"` // full ref name; empty when detached
	Head    string              `json:"head,omitempty"`   // empty when unborn
	Refs    []objects.Ref       `json:"refs"`
	Dirty   []objects.DirtyFile `json:"dirty"` // by path
	Unread  scan.UnreadPaths    `json:"unread,omitempty"`
	Began   int64               `json:"began,omitempty"`  // Unix nanoseconds; a file with an older ctime existed
	Hidden  scan.HiddenPaths    `json:"hidden,omitempty"` // names that git does not look at
	// NoModes says that git was set not to trust the exec bits on disk (core.fileMode), so that
	// they are unknown.
	NoModes bool `json:"no_modes,omitempty"`
	// Sizes are those of files that were read, because the index does not hold them.
	Sizes []scan.DiskSize `json:"sizes,omitempty"`

	dirty map[string]objects.DirtyFile // filled by byPath
	tree  *git.ID                      // tree of HEAD; nil until it is needed
}

func (s *snapshot) head() git.ID { return git.KnownID(s.Head) }

func parseSnapshot(raw json.RawMessage) (*snapshot, error) {
	if len(raw) == 0 {
		return nil, fmt.Errorf("read snapshot: there is none of the start")
	}
	var s snapshot
	if err := json.Unmarshal(raw, &s); err != nil {
		return nil, fmt.Errorf("read snapshot: %w", err)
	}
	if s.Version != snapshotVersion {
		return nil, fmt.Errorf("read snapshot: version %d is not known", s.Version)
	}
	s.byPath()
	return &s, nil
}

// at returns the file at a path and HEAD's. dirty reports whether they differ.
func (s *snapshot) at(o *objects.Reader, path string) (d objects.DirtyFile, dirty bool, err error) {
	if d, dirty = s.dirty[path]; !dirty {
		d.Head, err = s.inHead(o, path)
		d.Now = d.Head
	}
	return d, dirty, err
}

func (s *snapshot) inHead(o *objects.Reader, path string) (objects.File, error) {
	tree, err := s.headTree(o)
	if err != nil {
		return objects.File{}, err
	}
	return o.Lookup(tree, path)
}

func (s *snapshot) headTree(o *objects.Reader) (git.ID, error) {
	if s.tree == nil {
		tree, err := o.TreeOf(s.head())
		if err != nil {
			return "", err
		}
		s.tree = &tree
	}
	return *s.tree, nil
}

// byPath indexes the dirty files by path.
func (s *snapshot) byPath() {
	s.dirty = make(map[string]objects.DirtyFile, len(s.Dirty))
	for _, d := range s.Dirty {
		s.dirty[string(d.Path)] = d
	}
}

// lastSnapshot is the last snapshot that a Repo returned, with its JSON, because parsing that takes
// 5 ms with 1,000 references and 1,000 hidden names.
type lastSnapshot struct {
	raw      json.RawMessage
	snapshot *snapshot
}

// tipsOf returns HEAD and the references below a prefix.
func tipsOf(s *snapshot, prefix string) []git.ID {
	out := []git.ID{s.head()}
	for _, ref := range s.Refs {
		if strings.HasPrefix(string(ref.Name), prefix) {
			out = append(out, git.KnownID(ref.ID))
		}
	}
	return out
}
