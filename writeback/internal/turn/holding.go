package turn

import (
	"bytes"
	"context"
	"iter"
	"slices"

	"agentflow/memory/digest"
	"agentflow/memory/markdown"
	"agentflow/writeback/internal/items"
)

// Owner returns the id of the entry or fact that holds id: id itself if an entry or fact has it,
// else the id of the fact that it was merged into. View must be full.
func (t *Turn) Owner(ctx context.Context, id string) string {
	for _, name := range t.FilesWith(ctx, id) { // those where an entry or fact has this id come first
		d := markdown.Parse(t.View.Files.Get(name))
		if d.Owns(id) {
			return id
		}
		for _, f := range d.Facts() {
			if f.Has(id) && f.ID != "" {
				return f.ID
			}
		}
	}
	return id
}

// FilesWith names the files known to hold id: first those that hold an entry or fact with this id,
// then those where it was merged into a fact, both sorted. View must be full.
func (t *Turn) FilesWith(ctx context.Context, id string) []string {
	var holding, merged []string
	for name, content := range t.Candidates(ctx, id) {
		switch {
		case !bytes.Contains(content, []byte(id)):
		case markdown.Parse(content).Owns(id):
			holding = append(holding, name)
		case items.Holds(content, id):
			merged = append(merged, name)
		}
	}
	slices.Sort(holding)
	slices.Sort(merged)
	return append(holding, merged...)
}

// Candidates yields the files that may hold one of some ids, with their last known contents.
func (t *Turn) Candidates(ctx context.Context, ids ...string) iter.Seq2[string, []byte] {
	names := make([]digest.Name, len(ids))
	for i, id := range ids {
		names[i] = digest.ByID(id)
	}
	may := t.Holding(ctx, names...)
	return func(yield func(string, []byte) bool) {
		for _, name := range t.View.Files.Names() {
			if !may(name) {
				continue
			}
			if content, there := t.View.Files.Find(name); there && !yield(name, content) {
				return
			}
		}
	}
}
