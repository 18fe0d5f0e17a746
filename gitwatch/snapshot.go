package gitwatch

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// snapshotVersion is the version of the snapshot's JSON.
const snapshotVersion = 1

// snapshot is the state of a work tree and its repository at one moment.
type snapshot struct {
	Version int         `json:"version"`
	Branch  rawName     `json:"branch,omitempty"` // full ref name; empty when detached
	Head    string      `json:"head,omitempty"`   // empty when unborn
	Refs    []ref       `json:"refs"`
	Dirty   []dirtyFile `json:"dirty"`
	Unread  []string    `json:"unread,omitempty"` // work-tree paths that could not be read, and why

	dirty map[string]dirtyFile
}

func (s *snapshot) head() oid { return knownID(s.Head) }

// Limits on what is kept of dirty files: one file, all of them, in bytes.
const (
	maxKept    = 1 << 20
	maxKeptAll = 64 << 20
)

// beforeDir is the folder, below a run's, in which contents are kept, each
// under its id.
const beforeDir = "before"

// Snapshot records the state before a run. dir is the run's folder: the
// contents of files that already differ from HEAD are copied there (up to
// 1 MB each and 64 MB in all, mode 0600), so that Compare can tell the run's
// edits from earlier ones.
//
// The error says that the repository could not be read at all; single paths
// that could not be are noted inside.
func (r *Repo) Snapshot(ctx context.Context, dir string) (json.RawMessage, error) {
	s, err := r.take(ctx)
	if err != nil {
		return nil, fmt.Errorf("snapshot %s: %w", r.asked, err)
	}
	if err := r.keep(ctx, s.Dirty, dir); err != nil {
		return nil, fmt.Errorf("snapshot %s: %w", r.asked, err)
	}
	return json.Marshal(s)
}

// take reads the state now.
func (r *Repo) take(ctx context.Context) (*snapshot, error) {
	o := newObjects(r.store(ctx))
	defer o.close()
	name, head, err := o.store.head()
	if err != nil {
		return nil, fmt.Errorf("read HEAD: %w", err)
	}
	s := &snapshot{Version: snapshotVersion, Branch: rawName(name), Head: head.String()}
	if s.Refs, err = o.store.refs(); err != nil {
		return nil, err
	}
	tree, err := o.treeOf(head)
	if err != nil {
		return nil, err
	}
	var problems []string
	if s.dirty, problems, err = r.scan(ctx, o, tree); err != nil {
		return nil, err
	}
	sort.Strings(problems)
	s.Unread = problems
	s.Dirty = make([]dirtyFile, 0, len(s.dirty))
	for _, d := range s.dirty {
		s.Dirty = append(s.Dirty, d)
	}
	sort.Slice(s.Dirty, func(i, j int) bool { return s.Dirty[i].Path < s.Dirty[j].Path })
	return s, nil
}

// keep copies the contents of dirty files. A file that changed or vanished
// since it was hashed is left out: its id would be wrong.
func (r *Repo) keep(ctx context.Context, dirty []dirtyFile, dir string) error {
	folder := filepath.Join(dir, beforeDir)
	var total int64
	made := false
	for _, d := range dirty {
		if err := ctx.Err(); err != nil {
			return err
		}
		if !d.Now.disk || d.Now.kept() == "" || d.Now.Size > maxKept || total+d.Now.Size > maxKeptAll {
			continue
		}
		content, err := diskContent(filepath.Join(r.root, filepath.FromSlash(string(d.Path))), d.Now.Mode, maxKept)
		if err != nil || !isBlob(content, d.Now.kept()) {
			continue
		}
		if !made {
			if err := os.MkdirAll(folder, 0o700); err != nil {
				return fmt.Errorf("keep contents: %w", err)
			}
			made = true
		}
		if err := os.WriteFile(filepath.Join(folder, d.Now.kept()), content, 0o600); err != nil {
			return fmt.Errorf("keep contents: %w", err)
		}
		total += d.Now.Size
	}
	return nil
}

// parseSnapshot reads what Snapshot returned.
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
	s.dirty = make(map[string]dirtyFile, len(s.Dirty))
	for _, d := range s.Dirty {
		s.dirty[string(d.Path)] = d
	}
	return &s, nil
}

// unread sums up the paths that could not be read.
func unread(problems []string) string {
	const shown = 3
	if len(problems) <= shown {
		return strings.Join(problems, "; ")
	}
	return fmt.Sprintf("%s; and %d more", strings.Join(problems[:shown], "; "), len(problems)-shown)
}
