package exchange

import (
	"context"
	"crypto/ed25519"
	"slices"
	"time"

	"agentflow/gitwatch/memref"
	"agentflow/internal/share"
	"agentflow/memory"
	"agentflow/memory/markdown"
)

// A clone that had another key may have a folder from that time, and a copy of the clone may
// still write it. So each of the two removes from that folder the items that it purges, and
// purges the items that the other one purged there.

func idOf(key ed25519.PrivateKey) share.CloneID {
	return share.IDOf(key.Public().(ed25519.PublicKey))
}

// purgedByFormer returns the ids that were purged in folders of former keys since the last
// exchange.
func (c *Clone) purgedByFormer(ctx context.Context, r *Report, u union, st *state) (purged []string, err error) {
	keys, err := c.keyring().former()
	if err != nil {
		return nil, err
	}
	for _, key := range keys {
		now, before := u.accepted[idOf(key)], st.Accepted[idOf(key)]
		if before.Tree == "" || now.Purged <= before.Purged {
			continue
		}
		was, err := c.reader().folderAt(ctx, before.Tree)
		if err != nil {
			return nil, err
		}
		is, err := c.reader().folderAt(ctx, now.Tree)
		if err != nil {
			return nil, err
		}
		known := newForgets(nil, nil)
		known.read(was[share.ForgottenFile])
		ids, err := c.fresh(r, is[share.ForgottenFile], known, was)
		if purged = append(purged, ids...); err != nil {
			return nil, err
		}
	}
	return purged, nil
}

// takeFromFormer removes the purged items, or with Withdraw all items, from the folders of
// former keys. It returns the ids of the folders that change.
func (c *Clone) takeFromFormer(ctx context.Context, commit *memref.Commit, u union, now time.Time, o Options) (ids []share.CloneID, err error) {
	if len(o.Purged) == 0 && !o.Withdraw {
		return nil, nil
	}
	keys, err := c.keyring().former()
	for _, key := range keys {
		id := idOf(key)
		k, there := u.accepted[id]
		if !there || err != nil {
			continue
		}
		var before *share.Manifest
		if before, err = c.reader().manifestAt(ctx, k.Tree); err != nil {
			break
		}
		var rest own
		if rest, err = c.reader().without(ctx, k.Tree, before, o); err == nil && (len(rest.changed) > 0 || len(rest.removed(before)) > 0) {
			next := *before
			if next.Sequence, next.Time, next.Files = before.Sequence+1, now, rest.sorted(); o.Purge {
				next.Purged = next.Sequence
			}
			rest.into(commit, id, before, next.Sign(key))
			ids = append(ids, id)
		}
	}
	return ids, err
}

// without returns a folder without the purged items. With Withdraw only its list of forgotten
// ids remains.
func (r reader) without(ctx context.Context, tree string, before *share.Manifest, by Options) (o own, err error) {
	o = own{changed: map[string][]byte{}}
	texts, err := r.texts(ctx, tree, before.Files)
	f := newForgets(nil, by.Purged)
	f.read(texts[share.ForgottenFile])
	delete(texts, share.ForgottenFile)
	for name, text := range texts {
		if by.Withdraw {
			continue
		}
		f.left(name, text)
		rest, _ := markdown.Parse(text).RemoveAll(func(id string) bool { return slices.Contains(by.Purged, id) })
		if slices.Contains(by.Purged, memory.WholeFile(name)) {
			rest = nil
		}
		if len(rest) > 0 {
			f.holds(name, rest)
			o.put(name, rest, before.Files)
		}
	}
	if list := f.list(); len(list) > 0 {
		o.put(share.ForgottenFile, list, before.Files)
	}
	return o, err
}
