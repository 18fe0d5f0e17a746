package app

import "agentflow/memory"

func EntriesOf(list []StoredBlock) []*memory.Entry {
	return Mapped(list, func(b StoredBlock) *memory.Entry { return b.Entry })
}
