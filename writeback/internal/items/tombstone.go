package items

import (
	"agentflow/memory"
	"agentflow/memory/markdown"
	"crypto/sha256"
	"encoding/hex"
)

// Tombstone returns the hash that remains of a forgotten id.
func Tombstone(id string) string {
	sum := sha256.Sum256([]byte("agentflow forgotten " + id))
	return hex.EncodeToString(sum[:])
}

// IdsIn returns the ids that belong to a text: those of the facts of an entry, those that were
// merged into them, and the TextIDs of the facts, so that their texts do not come back under other
// ids.
func IdsIn(text []byte) []string {
	d := markdown.Parse(text)
	ids := d.IDs()
	for _, b := range d.Blocks {
		for _, f := range b.Facts {
			ids = append(ids, memory.TextID(f.Text))
		}
	}
	return ids
}
