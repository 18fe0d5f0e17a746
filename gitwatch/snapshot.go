package gitwatch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"agentflow/gitwatch/edits"
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

// Snapshot records the state before a run. dir is the run's folder. The contents of files that
// already differ from HEAD are copied there (up to 1 MB each and 64 MB in all, mode 0600), so that
// Compare can distinguish the run's edits from earlier ones.
//
// The run may already have begun, at since, and may have changed files and made commits before
// Snapshot looks. Files that changed later than since by their ctime, and the references that the
// trace in dir reports as moved, count as they were in the HEAD of that time. The zero time means
// now. After the state was read, Snapshot calls trace to bring that trace up to date; nil: it is up
// to date. If a file had uncommitted changes at since, and was changed again before Snapshot
// looked, the earlier changes are lost.
//
// Snapshot fails only if the repository cannot be read at all. The snapshot itself lists single
// paths that could not be read. The result must not be changed.
func (r *Repo) Snapshot(ctx context.Context, dir string, since time.Time, trace func()) (raw json.RawMessage, err error) {
	defer git.Caught(&err)
	before := edits.NewCopies(filepath.Join(dir, beforeFile))
	r.keepIndex(dir)
	s, err := r.stateThen(ctx, before)
	if err == nil && !since.IsZero() {
		err = r.rewind(ctx, s, dir, since, trace)
	}
	if err == nil {
		r.keepDirty(ctx, s.Dirty, before)
	}
	closed := make(chan error, 1)
	go func() { closed <- before.Close() }()
	raw, jsonErr := json.Marshal(s)
	if err := errors.Join(err, <-closed, jsonErr, ctx.Err()); err != nil {
		return nil, fmt.Errorf("snapshot %s: %w", r.at.Given, err)
	}
	for i := range s.Dirty {
		s.Dirty[i].Now.OnDisk = false // as after parsing
	}
	r.last.Store(&lastSnapshot{raw, s})
	return raw, nil
}

// stateThen returns the state at the start of a run.
func (r *Repo) stateThen(ctx context.Context, before *edits.Copies) (*snapshot, error) {
	if r.removed {
		return r.ofRemoved(ctx, &snapshot{})
	}
	return r.takeSnapshot(ctx, before)
}

// takeSnapshot reads the current state. Contents of dirty files are put into before, if it is not
// nil and they are read anyway.
func (r *Repo) takeSnapshot(ctx context.Context, before *edits.Copies) (*snapshot, error) {
	began := r.tree.Now()
	o := objects.Open(ctx, r.at)
	defer o.Close()
	name, head, err := o.Store.Head()
	if err != nil {
		return nil, fmt.Errorf("read HEAD: %w", err)
	}
	s := &snapshot{Version: snapshotVersion, Branch: git.Name(name), Head: head.String(), Began: began.UnixNano()}
	if s.Refs, err = o.Store.Refs(); err != nil {
		return nil, err
	}
	tree, err := o.TreeOf(head)
	if err != nil {
		return nil, err
	}
	found, err := r.tree.Scan(ctx, o, tree, before)
	if err != nil {
		return nil, err
	}
	s.Dirty, s.Unread, s.Hidden, s.NoModes = found.Dirty, found.Unread, scan.NewHidden(found.Hidden), found.NoModes
	s.Sizes = found.Sizes
	s.Unread.Sort()
	slices.SortFunc(s.Dirty, func(a, b objects.DirtyFile) int { return strings.Compare(string(a.Path), string(b.Path)) })
	return s, nil
}

// keepDirty copies the contents of dirty files that were not copied when they were hashed. It
// leaves out a file that changed or vanished since, because its id would be wrong.
func (r *Repo) keepDirty(ctx context.Context, dirty []objects.DirtyFile, before *edits.Copies) {
	scan.Each(ctx, len(dirty), func(i int) {
		d := &dirty[i]
		id := d.Now.CopyID()
		if !d.Now.OnDisk || id == "" || !before.Wants(id, d.Now.Size) {
			return
		}
		content, err := git.ReadFile(r.at.Full(string(d.Path)), d.Now.Mode, edits.MaxCopy)
		if err == nil && git.IsBlob(content, id) {
			_ = before.Keep(id, content) // Close reports failures
		}
	})
}

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

// start returns the snapshot in raw, without parsing the last one.
func (r *Repo) start(raw json.RawMessage) (*snapshot, error) {
	if last := r.last.Load(); last != nil && bytes.Equal(last.raw, raw) {
		s := *last.snapshot
		s.byPath()
		return &s, nil
	}
	return parseSnapshot(raw)
}
