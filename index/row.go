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

// row is one chunk as it is stored.
type row struct {
	key                  int64
	entry, kind, heading string
	ns, source           string
	ordinal, start, stop int
	date, zone           any // nil when undated
	branch               string
	commits, paths       []byte
	types, tags          []byte
	importance           float64
	pinned, undone, idle bool
	sum                  uint32
	terms                []byte // nil until projected
	text                 string

	embedding          embedding // zero until projected
	title, body, files string    // of the chunk; projected: what FTS5 is given
}

// newRow is a chunk as it is stored, not yet projected: a row that the index
// has already needs only its key.
func newRow(c chunk.Chunk) row {
	r := row{
		entry: c.EntryID, kind: string(c.Kind), heading: c.Heading, ns: c.Namespace, source: c.Source, ordinal: c.Ordinal, start: c.StartLine, stop: c.EndLine,
		branch: c.Branch, commits: joinList(c.Commits), paths: joinList(c.Paths), types: joinList(c.Types), tags: joinList(c.Tags),
		importance: c.Importance, pinned: c.Pinned, undone: c.Undone, idle: c.Idle, text: c.Text, title: c.Title, body: c.Body, files: c.Files,
	}
	if !c.Date.IsZero() {
		_, zone := c.Date.Zone()
		r.date, r.zone = c.Date.Unix(), zone
	}
	r.key = r.hash()
	return r
}

// project makes of a row's columns what FTS5 is given, once.
func (r *row) project() {
	if r.terms != nil {
		return
	}
	r.embedding = newEmbedding(r.title, r.body, r.files)
	var set stems.Set
	set.Grow(len(r.title) + len(r.body) + len(r.files))
	r.title, r.body, r.files = set.Text(r.title), set.Text(r.body), set.Text(r.files)
	if paths := splitList(r.paths); r.entry != "" && r.ordinal == 0 && len(paths) > 0 {
		set.Add(stems.OfEntry) // so that paths are counted like words
		for _, path := range paths {
			set.Add(stems.OfPath(path))
		}
	}
	r.terms = set.Pack()
	r.sum = checksum(r.text, r.terms)
}

// hash is over all but the place in the file: an entry that only moved keeps
// its row. It is taken before the row is projected.
func (r *row) hash() int64 {
	h := sha256.New()
	var b []byte
	for _, s := range []string{r.entry, r.kind, r.heading, r.ns, r.source, r.branch, string(r.commits), string(r.paths), string(r.types),
		string(r.tags), r.text, r.title, r.body, r.files} {
		b = binary.LittleEndian.AppendUint64(b[:0], uint64(len(s)))
		h.Write(append(b, s...))
	}
	date, _ := r.date.(int64)
	zone, _ := r.zone.(int)
	b = binary.LittleEndian.AppendUint64(b[:0], uint64(date))
	b = binary.LittleEndian.AppendUint64(b, uint64(zone))
	b = binary.LittleEndian.AppendUint64(b, uint64(r.importance*1e9))
	for i, is := range []bool{r.pinned, r.undone, r.idle} {
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

// dateOf is the reverse of projectChunk's date and zone.
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
