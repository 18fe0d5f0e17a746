package lookup

import "agentflow/memory"

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
