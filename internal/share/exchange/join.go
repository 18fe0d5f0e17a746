package exchange

import (
	"bytes"
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"agentflow/internal/safefile"
	"agentflow/internal/share"
	"agentflow/memory"
)

// Two machines may write one folder, because a disk was copied, or because a backup of the
// clone was restored and its remote has newer changes. Each machine merges the other's changes
// before it writes.

// join merges into memory the changes that another machine made in this clone's folder, and
// purges the items that were purged there or in a folder of a former key. It reports whether
// memory may have changed. pushed is the commit of an exchange of this clone that was killed.
func (c *Clone) join(ctx context.Context, r *Report, u *union, st *state, pushed string) (changed bool, err error) {
	m, purged, err := c.others(ctx, r, u, st, pushed)
	if err != nil {
		return false, err
	}
	u.purged, err = c.purgedByFormer(ctx, r, *u, st)
	if purged = append(purged, u.purged...); err != nil || m == nil && len(purged) == 0 {
		return false, err
	}
	return true, c.Join(ctx, func(now map[string][]byte) map[string][]byte {
		if m == nil {
			return now
		}
		after := m.Of(now)
		r.Restored = slices.Sorted(maps.Keys(after))
		r.Restored = slices.DeleteFunc(r.Restored, func(name string) bool { return bytes.Equal(now[name], after[name]) })
		return after
	}, purged)
}

// others returns the changes that other machines made in this clone's folder; nil: none.
func (c *Clone) others(ctx context.Context, r *Report, u *union, st *state, pushed string) (m *share.Merge, purged []string, err error) {
	now, before := u.accepted[r.ID], st.Accepted[r.ID]
	if u.own == nil || now.Sequence <= before.Sequence {
		return nil, nil, nil
	}
	if pushed != "" {
		at, err := c.Repo.Look(ctx, pushed+":"+folder+"/"+string(r.ID))
		if err != nil || at[0].ID == now.Tree {
			return nil, nil, err
		}
	}
	gone, err := c.gone(ctx)
	if err != nil {
		return nil, nil, err
	}
	m = &share.Merge{}
	if m.Theirs, err = c.reader().texts(ctx, now.Tree, u.own.Files); err != nil {
		return nil, nil, err
	}
	known := newForgets(nil, nil)
	if before.Tree != "" {
		own, err := c.reader().manifestAt(ctx, before.Tree)
		if err == nil && own.What == u.own.What {
			m.Base, err = c.reader().texts(ctx, before.Tree, own.Files)
		}
		if err != nil {
			return nil, nil, err
		}
		known.read(m.Base[share.ForgottenFile])
	}
	list := m.Theirs[share.ForgottenFile]
	if purged, err = c.fresh(r, list, known, m.Base); err != nil {
		return nil, nil, err
	}
	if m.Base != nil { // without it they may be ids that are no longer shared
		m.Forgot = slices.DeleteFunc(share.ReadForgotten(list), func(id string) bool { return known.ids[id] })
	}
	m.Gone = func(id string) bool { return gone(id) && !known.ids[id] }
	delete(m.Base, share.ForgottenFile)
	delete(m.Theirs, share.ForgottenFile)
	u.joined = m.Theirs
	return m, purged, nil
}

// fresh returns the ids that a folder's list marks as purged, except known ones. It includes a
// whole file only if memory shares the same text that the folder had before. Other files are
// kept.
func (c *Clone) fresh(r *Report, list []byte, known *forgets, before map[string][]byte) (ids []string, err error) {
	for _, id := range share.ReadPurged(list) {
		if known.purged[id] {
			continue
		}
		stays := false
		if name, whole := strings.CutPrefix(id, memory.WholeFile("")); whole {
			src, e := safefile.Read(filepath.Join(c.Memory, filepath.FromSlash(name)), safefile.NoLink, share.MaxFolder)
			if e != nil && !safefile.IsAbsent(e) {
				return nil, e
			}
			if stays = e == nil && !c.projection().made(name, src, before[name]); stays && !slices.Contains(r.Kept, name) {
				r.Kept = append(r.Kept, name)
			}
		}
		if !stays {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// gone calls Clone.Gone. Without it, no id is gone.
func (c *Clone) gone(ctx context.Context) (func(id string) bool, error) {
	if c.Gone == nil {
		return func(string) bool { return false }, nil
	}
	return c.Gone(ctx)
}
