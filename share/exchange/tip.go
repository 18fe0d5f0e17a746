package exchange

import (
	"context"
	"errors"
	"fmt"

	"agentflow/gitwatch/memref"
	"agentflow/share"
)

// folder holds the folders of clones.
const folder = "clones"

// tip is where the remote's ref is. Anybody who can push may have put it anywhere.
type tip struct {
	id      string                   // empty: there is no ref
	commit  string                   // empty: the ref is at no commit, or at a tag of none
	folders map[share.CloneID]string // trees of the clones
	refused map[share.CloneID]refusal
	// foreign says that the tree has other entries than AgentFlow writes: the ref may be
	// another name of a branch.
	foreign bool
	// broken says that a commit cannot keep the tree: it has too many entries, or two of one
	// name. The next one has an empty tree, and the folders again.
	broken bool
}

// look reads the tip's tree.
func (c *Clone) look(ctx context.Context, id string, st *state) (t tip, err error) {
	t = tip{id: id, folders: map[share.CloneID]string{}, refused: map[share.CloneID]refusal{}}
	if id == "" {
		return t, nil
	}
	if t.commit, err = c.Repo.Tip(ctx, id); err != nil {
		return t, err
	}
	if t.commit == "" {
		t.foreign, t.broken = true, true
		return t, nil
	}
	root, err := t.list(ctx, c.Repo, t.commit)
	for _, i := range root {
		if i.Name != folder || i.Kind != "tree" {
			t.foreign = true
			continue
		}
		items, err := t.list(ctx, c.Repo, i.ID)
		if err != nil {
			return t, err
		}
		t.take(items, st)
	}
	t.foreign = t.foreign || len(root) == 0
	return t, err
}

// list lists a folder of the tip, or nothing where it is too long.
func (t *tip) list(ctx context.Context, r memref.Repo, tree string) ([]memref.Item, error) {
	items, err := r.List(ctx, tree, false)
	if errors.Is(err, memref.ErrTooLong) {
		t.broken = true
		return nil, nil
	}
	names := map[string]bool{}
	for _, i := range items {
		t.broken = t.broken || names[i.Name]
		names[i.Name] = true
	}
	return items, err
}

// maxOdd bounds how many entries are refused by name that are no folders of clones.
const maxOdd = 100

// take takes the folders of clones, and refuses what else is there.
func (t *tip) take(items []memref.Item, st *state) {
	for _, i := range items {
		who := share.CloneID(i.Name)
		switch isNew := st.Accepted[who].Tree == ""; {
		case share.IsID(i.Name) && i.Kind == "tree" && (len(t.folders) < share.MaxClones || !isNew):
			t.folders[who] = i.ID
		case len(t.refused) == maxOdd:
		case share.IsID(i.Name) && i.Kind == "tree":
			t.refused[who] = refusal{Tree: i.ID, Why: fmt.Sprintf("there are more than %d", share.MaxClones)}
		default:
			t.refused[who] = refusal{Tree: i.ID, Why: "it is no folder of a clone"}
		}
	}
}
