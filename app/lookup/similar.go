package lookup

import "agentflow/memory/chunk"

// SearchText returns the text for a search for similar items, and the ids of f
// itself.
func (f StoredItem) SearchText() (text string, selfIDs []string) {
	if f.Fact != nil {
		return f.Fact.Text, f.Fact.IDs()
	}
	selfIDs = []string{f.ID}
	for _, at := range f.Facts {
		selfIDs = append(selfIDs, at.IDs()...)
	}
	title, body, _ := chunk.Projection(*f.Entry)
	return title + "\n" + body, selfIDs
}
