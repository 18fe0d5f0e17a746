package lookup

import (
	"agentflow/memory"
	"agentflow/memory/chunk"
)

// Place returns the lines of the block, as a search names them.
func (b StoredBlock) Place() string { return LinesIn(b.File, b.StartLine, b.LastLine()) }

// Place returns the lines of the found item: those of the fact, or those of the block.
func (f StoredItem) Place() string {
	if f.Fact == nil {
		return f.StoredBlock.Place()
	}
	for _, at := range f.Facts {
		if at.ID == f.ID {
			return LinesIn(f.File, at.StartLine, at.EndLine)
		}
	}
	return f.File
}

// Source returns the source of a fact of the item. A fact in the entry of a run comes from that
// run, unless the fact names another source.
func (f StoredItem) Source(fact memory.Fact) string {
	if fact.Source == "" && f.Entry != nil && f.Entry.Kind.ByAgent() {
		return f.Entry.ID
	}
	return fact.Source
}

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
