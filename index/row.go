package index

import (
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
	"strings"
	"time"

	"agentflow/index/stems"
	"agentflow/memory/chunk"
)

// row is one chunk on its way into the index. Projected, its title, body and files
// are what FTS5 is given.
type row struct {
	chunk.Chunk
	key       int64
	sum       uint32
	at        int       // byte of the file that its text begins at; -1: it does not stand there so
	subject   string    // its title as it stands; empty until projected
	terms     []byte    // nil until projected
	embedding embedding // zero until projected
}

// newRow is not projected yet: a row that the index has already needs only its
// key.
func newRow(c chunk.Chunk, at int) row { return row{Chunk: c, key: keyOf(c), at: at} }

// apart is the text of a row that does not stand in the file so; else nil.
func (r *row) apart() any {
	if r.at < 0 {
		return r.Text
	}
	return nil
}

// project makes of a row's text what FTS5 is given, once.
func (r *row) project() {
	if r.terms != nil {
		return
	}
	r.embedding = newEmbedding(r.Title, r.Body, r.Files)
	r.subject = r.Title
	var set stems.Set
	set.Grow(len(r.Title) + len(r.Body) + len(r.Files))
	r.Title, r.Body, r.Files = set.Text(r.Title), set.Text(r.Body), set.Text(r.Files)
	if r.EntryID != "" && r.Ordinal == 0 && len(r.Paths) > 0 {
		set.Add(stems.OfEntry) // so that paths are counted like words
		for _, path := range r.Paths {
			set.Add(stems.OfPath(path))
		}
	}
	r.terms = set.Pack()
	r.sum = checksum(r.Text, r.terms)
}

// keyOf is a hash of all but the place in the file: an entry that only moved
// keeps its row.
func keyOf(c chunk.Chunk) int64 {
	h := sha256.New()
	var b []byte
	for _, s := range []string{c.EntryID, string(c.Kind), c.Heading, c.Namespace, c.Source, c.Branch, string(joinList(c.Commits)),
		string(joinList(c.Paths)), string(joinList(c.Types)), string(joinList(c.Tags)), string(joinList(c.Categories)), c.Text, c.Title, c.Body, c.Files} {
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
	h.Write(b)
	return int64(binary.LittleEndian.Uint64(h.Sum(nil)))
}

func checksum(text string, terms []byte) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli)
	return crc32.Update(crc32.Update(0, table, []byte(text)), table, terms)
}

// joinList writes a list so that one member can be looked for: NUL before,
// between and after.
func joinList[S ~string](list []S) []byte {
	if len(list) == 0 {
		return []byte{}
	}
	b := []byte{0}
	for _, s := range list {
		b = append(append(b, s...), 0)
	}
	return b
}

// splitList is the reverse.
func splitList(b []byte) []string {
	if len(b) < 2 {
		return nil
	}
	return strings.Split(string(b[1:len(b)-1]), "\x00")
}

// dateColumns are nil for undated text.
func dateColumns(t time.Time) (unix, zone any) {
	if t.IsZero() {
		return nil, nil
	}
	_, offset := t.Zone()
	return t.Unix(), offset
}

// dateOf is the reverse.
func dateOf(unix, zone *int64) time.Time {
	if unix == nil || zone == nil {
		return time.Time{}
	}
	if *zone == 0 {
		return time.Unix(*unix, 0).UTC()
	}
	return time.Unix(*unix, 0).In(time.FixedZone("", int(*zone)))
}

// ceilUnix is the first whole second not before t: entries have whole seconds.
func ceilUnix(t time.Time) int64 {
	s := t.Unix()
	if t.Nanosecond() > 0 {
		s++
	}
	return s
}
