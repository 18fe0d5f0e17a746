package index

import (
	"crypto/sha256"
	"encoding/binary"

	"agentflow/index/stems"
	"agentflow/index/store"
	"agentflow/memory/chunk"
)

// newRow returns a row that is not projected yet: for a row that the index
// already has, the key is enough.
func newRow(c chunk.Chunk, at int) store.Row { return store.Row{Chunk: c, Key: keyOf(c), At: at} }

// project makes the searchable form of a row's text. It does nothing if it was
// called before.
func project(r *store.Row) {
	if r.Terms != nil {
		return
	}
	r.Embedding = newEmbedding(r.Title, r.Body, r.Files)
	r.Subject = r.Title
	var set stems.Set
	set.Grow(len(r.Title) + len(r.Body) + len(r.Files))
	r.Title, r.Body, r.Files = set.Text(r.Title), set.Text(r.Body), set.Text(r.Files)
	if r.EntryID != "" && r.Ordinal == 0 && len(r.Paths) > 0 {
		set.Add(stems.OfEntry) // so that paths are counted like words
		for _, path := range r.Paths {
			set.Add(stems.OfPath(path))
		}
	}
	r.Terms = set.Pack()
	r.Sum = store.Checksum(r.Text, r.Terms)
}

// keyOf hashes everything but the place in the file, so an entry that only
// moved keeps its row.
func keyOf(c chunk.Chunk) int64 {
	h := sha256.New()
	var b []byte
	for _, s := range []string{c.EntryID, string(c.Kind), c.Heading, c.Namespace, c.Source, c.Branch, string(store.JoinList(c.Commits)),
		string(store.JoinList(c.Paths)), string(store.JoinList(c.Types)), string(store.JoinList(c.Tags)), string(store.JoinList(c.Categories)), c.Text, c.Title, c.Body, c.Files} {
		b = binary.LittleEndian.AppendUint64(b[:0], uint64(len(s)))
		h.Write(append(b, s...))
	}
	date, zone := int64(0), 0
	if !c.Date.IsZero() {
		date = c.Date.Unix()
		_, zone = c.Date.Zone()
	}
	b = binary.LittleEndian.AppendUint64(b[:0], uint64(date))
	b = binary.LittleEndian.AppendUint64(b, uint64(zone))
	b = binary.LittleEndian.AppendUint64(b, uint64(c.Importance*1e9))
	for i, is := range []bool{c.Pinned, c.Undone, c.Idle, c.ByTool} {
		if is {
			b = append(b, byte(i+1))
		}
	}
	h.Write(append(b, c.Person...))
	return int64(binary.LittleEndian.Uint64(h.Sum(nil)))
}
