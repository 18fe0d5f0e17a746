package lookup

import (
	"agentflow/internal/lists"
	"agentflow/memory"
)

// Named returns the ids of other facts that the fact names.
func (k *StoredFact) Named() (ids []string) {
	for _, id := range append(lists.Mapped(k.Merged, func(o memory.Origin) string { return o.ID }), k.Supersedes, k.SupersededBy) {
		if id != "" {
			ids = append(ids, id)
		}
	}
	return ids
}
