package app

import "agentflow/memory"

// EntriesOf returns the entries of blocks.
func EntriesOf(list []StoredBlock) []*memory.Entry {
	return Mapped(list, func(b StoredBlock) *memory.Entry { return b.Entry })
}
