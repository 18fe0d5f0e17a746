package settle

import (
	"bytes"

	"agentflow/memory/changeset"
)

// fewIDs limits the ids that are searched one by one, which is then faster
// than to split a text.
const fewIDs = 12

// StandIn reports whether text contains any of the ids, in any form.
func (d IdSet) StandIn(text []byte) bool {
	if len(d) > fewIDs {
		return d.in(text)
	}
	for id := range d {
		if bytes.Contains(text, []byte(id)) {
			return true
		}
	}
	return false
}

// in is StandIn for many ids in hexadecimal digits, each whole.
func (d IdSet) in(text []byte) bool {
	from := 0
	for i := 0; i <= len(text); i++ {
		if i < len(text) && (text[i]-'0' <= 9 || text[i]-'a' <= 5) {
			continue
		}
		if i-from >= len(changeset.NoBlob) && d[string(text[from:i])] {
			return true
		}
		from = i + 1
	}
	return false
}
