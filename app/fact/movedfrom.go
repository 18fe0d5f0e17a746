package fact

import (
	"agentflow/memory"
	"agentflow/memory/retrieval"
)

// MovedFrom reports whether the fact was moved out of the hit's entry, or out of the entry that the hit was moved out
// of.
func MovedFrom(h retrieval.Hit, f memory.Fact) bool {
	return f.Source != "" && (f.Source == h.EntryID || f.Source == h.Source)
}
