package lookup

import (
	"agentflow/app"
	"agentflow/memory"
)

// EntriesOf returns the entries of blocks.
func EntriesOf(list []StoredBlock) []*memory.Entry {
	return app.Mapped(list, func(b StoredBlock) *memory.Entry { return b.Entry })
}
