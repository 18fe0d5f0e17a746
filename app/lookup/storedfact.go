package lookup

import (
	"agentflow/internal/lists"
	"agentflow/memory"
)

// Owned returns the fact. If the fact names no source, its entry is the source: the run or
// session that stated it.
func (k *StoredFact) Owned() memory.Fact {
	f := k.Fact
	f.Created = k.CreatedAt()
	if k.Entry != nil && f.Source == "" && k.Entry.Kind != memory.KindNote {
		f.Source = k.Entry.ID
	}
	return f
}

// Named returns the ids of other facts that the fact names.
func (k *StoredFact) Named() (ids []string) {
	for _, id := range append(lists.Mapped(k.Merged, func(o memory.Origin) string { return o.ID }), k.Supersedes, k.SupersededBy) {
		if id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}
