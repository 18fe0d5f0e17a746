package index

import (
	"crypto/sha256"
	"strings"

	"agentflow/index/rank"
)

// embedRunes bounds the text of one vector: about 500 tokens, which every
// model takes, and more than a chunk of the usual size has.
const embedRunes = 2000

// embedHashSize is enough of a SHA-256 that nobody finds two texts of one
// hash.
const embedHashSize = 16

// embedText is what the vector of a chunk is made of: what is searched, and
// not how the file writes it. It is empty when there is nothing to embed.
func embedText(title, body, files string) string {
	parts := make([]string, 0, 3)
	for _, p := range []string{title, body, files} {
		if p = strings.TrimSpace(p); p != "" {
			parts = append(parts, p)
		}
	}
	return strings.ToValidUTF8(rank.FirstRunes(strings.Join(parts, "\n"), embedRunes), "\ufffd")
}

// embedHash keys the vector of a text: the same text is embedded once.
func embedHash(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:embedHashSize]
}

// embedding is what a row's vector is made of, and the vector when it was made
// before the row is written.
type embedding struct {
	text   string
	hash   []byte
	vector []byte // packed; empty when the text has none
	bits   []byte // of the vector; nil when they are to be made
	made   bool
}

// embed notes what the row's vector is made of. It is done before the row is
// projected.
func (r *row) embed() {
	if r.embedding.hash != nil {
		return
	}
	text := embedText(r.title, r.body, r.files)
	r.embedding = embedding{text: text, hash: embedHash(text), made: text == ""} // of nothing nobody has to be asked
}
