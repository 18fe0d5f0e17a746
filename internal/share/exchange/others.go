package exchange

import (
	"context"
	"errors"
	"fmt"

	"agentflow/gitwatch/memref"
	"agentflow/internal/share"
)

// union is the newest valid state of each clone's folder, from the tip and the accepted ref.
type union struct {
	tip      tip
	accepted map[share.CloneID]known
	refused  map[share.CloneID]refusal
	heal     map[share.CloneID]string // trees that replace those of the tip
	own      *share.Manifest          // of this clone's folder; nil: it has none
	joined   map[string][]byte        // files of this clone's folder that another machine wrote; see Clone.Join
	purged   []string                 // items that were purged in folders of this clone's former keys
	news     []share.CloneID          // the clones with changed folders
	purge    bool                     // the tip leads to text that was purged
}

// reader reads the folders of clones in a repository.
type reader struct{ repo memref.Repo }

func (c *Clone) reader() reader { return reader{c.Repo} }

// unite checks the folders of a tip. An empty id means that the remote has no such ref.
func (r reader) unite(ctx context.Context, id string, st *state, own share.CloneID) (u union, err error) {
	u = union{accepted: map[share.CloneID]known{}, heal: map[share.CloneID]string{}}
	if u.tip, err = r.look(ctx, id, st); err != nil {
		return u, err
	}
	u.refused = u.tip.refused
	for who, tree := range u.tip.folders {
		if err := r.consider(ctx, &u, st, who, tree); err != nil {
			return u, err
		}
	}
	for who, k := range st.Accepted {
		if u.tip.folders[who] == "" { // the remote has lost it
			u.accepted[who], u.heal[who] = k, k.Tree
		}
	}
	if k, ok := u.accepted[own]; ok {
		u.own, err = r.manifestAt(ctx, k.Tree)
	}
	return u, err
}

// consider accepts a clone's folder of the tip, or keeps the accepted one.
func (r reader) consider(ctx context.Context, u *union, st *state, who share.CloneID, tree string) error {
	before, was := st.Accepted[who]
	if was && before.Tree == tree {
		u.accepted[who] = before
		return nil
	}
	no := st.Refused[who]
	if no.Tree != tree {
		no = refusal{Tree: tree}
		f, err := r.check(ctx, who, tree)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if errors.Is(err, errUnread) {
			no.Tree = "" // the next exchange tries again
		}
		later := !was
		if err == nil && was {
			later, err = r.isLater(ctx, f, before)
		}
		switch {
		case err != nil:
			no.Why = err.Error()
		case !later:
			no.Older = f.Sequence
			no.Why = fmt.Sprintf("it is older (%d) than what was accepted (%d)", f.Sequence, before.Sequence)
		default:
			u.accepted[who] = known{tree, f.Sequence, f.Purged, f.Author, f.Time}
			u.news = append(u.news, who)
			return nil
		}
	}
	u.refused[who] = no
	u.purge = u.purge || no.Older > 0 && no.Older < before.Purged // in every exchange that finds it
	if was {
		u.accepted[who], u.heal[who] = before, before.Tree
	}
	return nil
}

// isLater reports whether a state of a folder supersedes the accepted one. If a push was
// interrupted, a clone may make two states with one number. All clones choose the same one of
// them.
func (r reader) isLater(ctx context.Context, f share.Folder[string], before known) (bool, error) {
	if f.Sequence != before.Sequence {
		return f.Sequence > before.Sequence, nil
	}
	m, err := r.manifestAt(ctx, before.Tree)
	if err != nil {
		return false, err
	}
	_, later := share.Later(share.Folder[string]{Manifest: m}, f)
	return later, nil
}

// errUnread means that git could not read a folder, so its state is unknown.
var errUnread = errors.New("it cannot be read")

// check reads a folder and checks it.
func (r reader) check(ctx context.Context, who share.CloneID, tree string) (none share.Folder[string], err error) {
	items, err := r.repo.List(ctx, tree, true)
	switch {
	case errors.Is(err, memref.ErrTooLong):
		return none, err
	case err != nil:
		return none, fmt.Errorf("%w: %w", errUnread, err)
	}
	entries := make([]share.Entry[string], len(items))
	texts := map[string][]byte{}
	var ids []string
	for i, item := range items {
		entries[i] = share.Entry[string]{Name: item.Name, Size: item.Size, Blob: item.ID, Odd: odd(item)}
		ids = append(ids, item.ID)
	}
	read := func(id string) ([]byte, error) {
		if text, ok := texts[id]; ok {
			return text, nil
		}
		// The sizes have been checked, so all contents are read at once.
		err := r.repo.Blobs(ctx, ids, func(id string, data []byte) error {
			texts[id] = data
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errUnread, err)
		}
		return texts[id], nil
	}
	return share.Check(who, entries, read)
}

// odd returns a description of an item that is not a plain file, or "" for a plain file.
func odd(i memref.Item) string {
	switch {
	case i.Kind == "commit":
		return "a submodule"
	case i.Mode == "120000":
		return "a symbolic link"
	case i.Mode != "100644":
		return "a program"
	}
	return ""
}

// manifestAt returns the manifest of a folder that was checked before.
func (r reader) manifestAt(ctx context.Context, tree string) (m *share.Manifest, err error) {
	at, err := r.repo.Look(ctx, tree+":"+share.ManifestFile)
	if err != nil {
		return nil, err
	}
	return m, r.repo.Blobs(ctx, []string{at[0].ID}, func(_ string, data []byte) (err error) {
		m, err = share.ReadManifest(data)
		return err
	})
}
