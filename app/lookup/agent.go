package lookup

import "agentflow/memory"

// Source returns the source of a fact of the item. A fact in the entry of a run comes from that
// run, unless the fact names another source.
func (f StoredItem) Source(fact memory.Fact) string {
	if fact.Source == "" && f.Entry != nil && f.Entry.Kind.ByAgent() {
		return f.Entry.ID
	}
	return fact.Source
}
