package lookup

import (
	"agentflow/internal/lists"
	"agentflow/memory"
)

// EntriesOf returns the entries of blocks.
func EntriesOf(list []StoredBlock) []*memory.Entry {
	return lists.Mapped(list, func(b StoredBlock) *memory.Entry { return b.Entry })
}
