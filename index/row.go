package index

import (
	"crypto/sha256"
	"encoding/binary"
	"hash/crc32"
	"iter"
	"slices"
	"strings"
	"time"

	"agentflow/internal/words"
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
		branch: c.Branch, commits: list0(c.Commits), paths: list0(c.Paths), types: list0(c.Types), tags: list0(c.Tags),
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
	r.embed()
	t := termSet{hashes: make([]uint32, 0, (len(r.title)+len(r.body)+len(r.files))/5)}
	r.title, r.body, r.files = t.column(r.title), t.column(r.body), t.column(r.files)
	if r.entry != "" && r.ordinal == 0 {
		t.names(unlist0(r.paths))
	}
	r.terms = t.pack()
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

// list0 writes a list so that one member can be looked for: NUL before,
// between and after.
func list0[S ~string](list []S) []byte {
	if len(list) == 0 {
		return []byte{}
	}
	b := []byte{0}
	for _, s := range list {
		b = append(append(b, s...), 0)
	}
	return b
}

func unlist0(b []byte) []string {
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

// termSet collects the hashed stems of a chunk.
type termSet struct {
	hashes []uint32
}

// column adds a column's terms and returns them as FTS5 is given them.
func (t *termSet) column(text string) string {
	tokens := words.Tokenize(text)
	var b strings.Builder
	b.Grow(len(text))
	for i, tok := range tokens {
		if i > 0 {
			b.WriteByte(' ')
		}
		s := words.Stem(tok.Text)
		b.WriteString(s)
		t.hashes = append(t.hashes, termHash(s))
	}
	return b.String()
}

// names adds the paths an entry names, so that they are counted like words.
func (t *termSet) names(paths []string) {
	if len(paths) > 0 {
		t.hashes = append(t.hashes, entryTerm)
	}
	for _, p := range paths {
		t.hashes = append(t.hashes, pathTerm(p))
	}
}

// pathTerm is the term of a path as a whole; no word has it, as none holds
// NUL. entryTerm is that of every entry with paths.
func pathTerm(path string) uint32 { return termHash("\x00" + path) }

var entryTerm = pathTerm("")

func (t *termSet) pack() []byte {
	slices.Sort(t.hashes)
	t.hashes = slices.Compact(t.hashes)
	b := make([]byte, 0, 4*len(t.hashes))
	for _, h := range t.hashes {
		b = binary.LittleEndian.AppendUint32(b, h)
	}
	return b
}

// termHash is FNV-1a. Two of 100,000 terms share a hash now and then; that
// costs a little precision of idf and nothing else.
func termHash(stem string) uint32 {
	h := uint32(2166136261)
	for i := range len(stem) {
		h = (h ^ uint32(stem[i])) * 16777619
	}
	return h
}

// unpack yields packed terms.
func unpack(terms []byte) iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for ; len(terms) >= 4; terms = terms[4:] {
			if !yield(binary.LittleEndian.Uint32(terms)) {
				return
			}
		}
	}
}

// holds says whether packed terms include h.
func holds(terms []byte, h uint32) bool {
	lo, hi := 0, len(terms)/4
	for lo < hi {
		mid := (lo + hi) / 2
		switch v := binary.LittleEndian.Uint32(terms[4*mid:]); {
		case v == h:
			return true
		case v < h:
			lo = mid + 1
		default:
			hi = mid
		}
	}
	return false
}

// ceilUnix is the first whole second not before t: entries have whole seconds.
func ceilUnix(t time.Time) int64 {
	s := t.Unix()
	if t.Nanosecond() > 0 {
		s++
	}
	return s
}
