package files

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"agentflow/index/stems"
)

// Entry is an entry of memory on its way into a Block.
type Entry struct {
	ID    int64 // of its chunk
	Date  int64 // Unix seconds
	Title string
	Paths []string
}

// record is the part of an entry that a Block stores.
type record struct {
	id, date    int64
	kind, scope uint32   // hashes of the title's type and scope; 0: none
	title       []uint32 // distinct hashes of stems
	paths       []uint32 // places in the Block's list of paths
}

// pathRecord is the part of a path that a Block stores.
type pathRecord struct {
	name   string
	folder uint32   // hash
	kind   uint32   // hash: the extension, tests apart
	base   uint32   // how many of stems are of the base name without its extension
	stems  []uint32 // distinct hashes
}

// key returns the hash that identifies a path, FNV-1a with 64 bits.
func key[S ~string | ~[]byte](name S) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * 1099511628211
	}
	return h
}

func newPath(name string) pathRecord {
	folder, file := path.Split(name)
	ext := path.Ext(file)
	p := pathRecord{name: name, folder: stems.Hash(folder), kind: stems.Hash(kindOf(file, ext))}
	p.stems = distinct(stems.Of(strings.TrimSuffix(file, ext)))
	p.base = uint32(len(p.stems))
	for _, h := range distinct(stems.Of(name)) {
		if !slices.Contains(p.stems, h) {
			p.stems = append(p.stems, h)
		}
	}
	return p
}

// distinct unpacks a set of stems.
func distinct(packed []byte) []uint32 { return slices.Collect(stems.All(packed)) }

// kindOf returns a file's kind: its extension, or a separate kind for tests.
func kindOf(file, ext string) string {
	stem := strings.ToLower(strings.TrimSuffix(file, ext))
	if strings.HasPrefix(stem, "test_") || strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, ".test") || strings.HasSuffix(stem, ".spec") {
		return "test" + ext
	}
	return ext
}

// opening is how many projects begin a subject: "fix(parser): …", "net/http: …".
var opening = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([\w./,-]{1,40})(?:\(([^()]{1,40})\))?!?: `)
})

// opened returns the hashes of a title's type and scope, as in "fix(parser): …". Without a
// scope, the type is also the scope. Both are 0 for a title without a type.
func opened(title string) (kind, scope uint32) {
	m := opening().FindStringSubmatch(title)
	if m == nil {
		return 0, 0
	}
	kind = stems.Hash(strings.ToLower(m[1]))
	if m[2] == "" {
		return kind, kind
	}
	return kind, stems.Hash(strings.ToLower(m[2]))
}
