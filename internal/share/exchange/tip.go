package exchange

import (
	"context"
	"errors"
	"fmt"

	"agentflow/gitwatch/memref"
	"agentflow/internal/share"
)

// folder holds the folders of clones.
const folder = "clones"

// tip is the state of the remote's ref. Anyone who can push may have moved it to any object.
type tip struct {
	id      string                   // empty: there is no ref
	commit  string                   // empty: the ref is at no commit, or at a tag of none
	folders map[share.CloneID]string // trees of the clones
	refused map[share.CloneID]refusal
	// foreign means that the tree has entries that AgentFlow does not write: the ref may be
	// another name of a branch.
	foreign bool
	// broken means that a commit cannot keep the tree, because it has too many entries, or two
	// with one name. The next commit starts from an empty tree and adds the folders again.
	broken bool
}

// look reads the tip's tree.
func (r reader) look(ctx context.Context, id string, st *state) (t tip, err error) {
	t = tip{id: id, folders: map[share.CloneID]string{}, refused: map[share.CloneID]refusal{}}
	if id == "" {
		return t, nil
	}
	if t.commit, err = r.repo.Tip(ctx, id); err != nil {
		return t, err
	}
	if t.commit == "" {
		t.foreign, t.broken = true, true
		return t, nil
	}
	root, err := t.list(ctx, r.repo, t.commit)
	for _, i := range root {
		if i.Name != folder || i.Kind != "tree" {
			t.foreign = true
			continue
		}
		items, err := t.list(ctx, r.repo, i.ID)
		if err != nil {
			return t, err
		}
		t.take(items, st)
	}
	t.foreign = t.foreign || len(root) == 0
	return t, err
}

// list lists a folder of the tip. It returns nothing if the folder has too many entries.
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

// maxOdd limits the number of other entries that are refused by name.
const maxOdd = 100

// take adds the folders of clones, and refuses other entries.
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
