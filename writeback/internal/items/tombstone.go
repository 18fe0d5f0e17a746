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
// merged into them, the TextIDs of the facts, so that their texts do not come back under other
// ids, and those of the commits that an entry names, so that they do not come back as entries.
func IdsIn(text []byte) []string {
	d := markdown.Parse(text)
	ids := d.IDs()
	for _, b := range d.Blocks {
		for _, f := range b.Facts {
			ids = append(ids, memory.TextID(f.Text))
		}
	}
	return append(ids, commitsOf(d)...)
}

// CommitsIn returns the ids of the commits that the entries of a text name: those of its own
// commits, and the short ones of commits that took their changes.
func CommitsIn(text []byte) []string { return commitsOf(markdown.Parse(text)) }

func commitsOf(d *markdown.Document) (ids []string) {
	for _, e := range d.Entries() {
		for _, c := range e.Commits {
			ids = append(ids, c.ID)
		}
		ids = append(ids, e.TakenAs()...)
	}
	return ids
}
