package exchange

import (
	"context"
	"fmt"
	"strings"

	"agentflow/gitwatch/memref"
	"agentflow/share"
)

// folder is where the folders of clones stand in the tree.
const folder = "clones"

// union is what counts of a tip and of what was accepted before.
type union struct {
	accepted map[share.CloneID]known
	refused  map[share.CloneID]refusal
	heal     map[share.CloneID]string // trees to be put in the place of the tip's
	own      *share.Manifest          // of this clone's folder; nil: it has none
	news     []share.CloneID          // whose folders changed
	purge    bool                     // the tip leads to text that was purged
}

// remember is the last state. Where that was lost, what was accepted is told by the ref
// that keeps it.
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
	u, err := c.unite(ctx, tip, &st, "")
	st.Accepted = u.accepted
	return st, err
}

// unite looks at the folders of a tip; "" is a remote without the ref.
func (c *Clone) unite(ctx context.Context, tip string, st *state, id share.CloneID) (u union, err error) {
	u = union{accepted: map[share.CloneID]known{}, refused: map[share.CloneID]refusal{}, heal: map[share.CloneID]string{}}
	trees := map[share.CloneID]string{}
	if tip != "" {
		items, err := c.Repo.List(ctx, tip, folder, false)
		if err != nil {
			return u, err
		}
		for _, i := range items {
			switch {
			case !share.IsID(i.Name) || i.Kind != "tree":
				u.refused[share.CloneID(i.Name)] = refusal{Tree: i.ID, Why: "it is no folder of a clone"}
			case len(trees) == share.MaxClones && st.Accepted[share.CloneID(i.Name)].Tree == "":
				u.refused[share.CloneID(i.Name)] = refusal{Tree: i.ID, Why: fmt.Sprintf("there are more than %d", share.MaxClones)}
			default:
				trees[share.CloneID(i.Name)] = i.ID
			}
		}
	}
	for who, tree := range trees {
		if err := c.consider(ctx, &u, st, who, tree); err != nil {
			return u, err
		}
	}
	for who, k := range st.Accepted {
		if trees[who] == "" { // the remote has lost it
			u.accepted[who], u.heal[who] = k, k.Tree
		}
	}
	if k, ok := u.accepted[id]; ok {
		m, err := c.manifestAt(ctx, k.Tree)
		if err != nil {
			return u, err
		}
		u.own = m
	}
	return u, nil
}

// consider takes a clone's folder of the tip, or the one that was accepted before.
func (c *Clone) consider(ctx context.Context, u *union, st *state, who share.CloneID, tree string) error {
	before, was := st.Accepted[who]
	if was && before.Tree == tree {
		u.accepted[who] = before
		return nil
	}
	no := st.Refused[who]
	if no.Tree != tree {
		no = refusal{Tree: tree}
		f, err := c.check(ctx, who, tree)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		later := !was
		if err == nil && was {
			later, err = c.isLater(ctx, f, before)
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
	u.purge = u.purge || no.Older > 0 && no.Older < before.Purged // as often as it is seen
	if was {
		u.accepted[who], u.heal[who] = before, before.Tree
	}
	return nil
}

// isLater says whether a state of a folder counts more than the accepted one. Two of one
// number, as a clone makes whose push was cut short, are told apart in the same way by all.
func (c *Clone) isLater(ctx context.Context, f share.Folder[string], before known) (bool, error) {
	if f.Sequence != before.Sequence {
		return f.Sequence > before.Sequence, nil
	}
	m, err := c.manifestAt(ctx, before.Tree)
	if err != nil {
		return false, err
	}
	_, later := share.Later(share.Folder[string]{Manifest: m}, f)
	return later, nil
}

// check reads a folder and checks it.
func (c *Clone) check(ctx context.Context, who share.CloneID, tree string) (share.Folder[string], error) {
	items, err := c.Repo.List(ctx, tree, "", true)
	if err != nil {
		return share.Folder[string]{}, err
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
		// The sizes were looked at by now: all are read at once.
		err := c.Repo.Blobs(ctx, ids, func(id string, data []byte) error {
			texts[id] = data
			return nil
		})
		return texts[id], err
	}
	return share.Check(who, entries, read)
}

// odd says what an item is that is no plain file.
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

// manifestAt is the manifest of a folder that was checked before.
func (c *Clone) manifestAt(ctx context.Context, tree string) (m *share.Manifest, err error) {
	items, err := c.Repo.List(ctx, tree, "", false)
	if err != nil {
		return nil, err
	}
	for _, i := range items {
		if i.Name != share.ManifestFile {
			continue
		}
		err = c.Repo.Blobs(ctx, []string{i.ID}, func(_ string, data []byte) (err error) {
			m, err = share.ReadManifest(data)
			return err
		})
	}
	return m, err
}

// short is enough of an id to know a clone by.
func short(id share.CloneID) string { return strings.ToLower(string(id)[:min(8, len(id))]) }
