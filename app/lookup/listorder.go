package lookup

import (
	"agentflow/internal/usecount"
	"agentflow/memory"
)

// Fact returns a fact with the sort keys of the cursor.
func (c Cursor) Fact() *StoredFact {
	k := &StoredFact{}
	k.ID, k.Created, k.Updated, k.Importance, k.Namespace, k.Key = c.ID, c.Time, c.Updated, c.Importance, c.Namespace, c.Key
	k.File, k.StartLine = c.File, c.Line
	k.Used = usecount.Use{Get: c.Uses, Last: c.LastUse}
	return k
}

// StandsFor reports whether k is the fact without an id from which the cursor was made.
func (c Cursor) StandsFor(k *StoredFact) bool {
	return k.ID == "" && k.File == c.File && memory.TextID(k.Text) == c.Text
}
