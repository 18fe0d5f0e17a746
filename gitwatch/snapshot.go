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

// start returns the snapshot in raw, without parsing the last one.
func (r *Repo) start(raw json.RawMessage) (*snapshot, error) {
	if last := r.last.Load(); last != nil && bytes.Equal(last.raw, raw) {
		s := *last.snapshot
		s.byPath()
		return &s, nil
	}
	return parseSnapshot(raw)
}
