package digest

import (
	"encoding/binary"
	"hash/crc32"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// Name is something that a file of memory may be asked for by. Different things can
// have one name: who finds a file by it looks into the file. It is 0 to 2⁵¹−1.
type Name int64

const (
	ofID = iota + 1
	ofCommit
	ofSession
	ofKey
	ofGist
	ofPatch
	ofLeft
)

// ByID is the name of entries and facts by the last four bytes of their ids; the id
// of a fact that was merged into another leads to that one.
func ByID(id string) Name { return of(ofID, id[max(0, len(id)-nameBytes):]) }

// ByCommit is the name of entries by the first four bytes of a commit's id.
func ByCommit(id string) Name { return of(ofCommit, id[:min(nameBytes, len(id))]) }

// BySession is the name of entries by the id of their agent's session.
func BySession(id string) Name { return hashed(ofSession, id) }

// ByKey is the name of facts by their key.
func ByKey(key string) Name { return hashed(ofKey, key) }

// ByGist is the name of facts by memory.Fact.Gist.
func ByGist(gist string) Name { return hashed(ofGist, gist) }

// ByPatch is the name of entries by the patch id of one of their commits.
func ByPatch(patch string) Name { return hashed(ofPatch, patch) }

// ByLeft is the name of runs by what they left uncommitted at one path: see
// memory.ShortBlob.
func ByLeft(blob string) Name { return hashed(ofLeft, blob) }

const nameBytes = 4

func of(kind int64, part string) Name {
	var b [nameBytes]byte
	copy(b[:], part)
	return Name(kind<<32 | int64(binary.BigEndian.Uint32(b[:])))
}

func hashed(kind int64, text string) Name {
	return Name(kind<<32 | int64(crc32.Checksum([]byte(text), crc32.MakeTable(crc32.Castagnoli))))
}

// Names are all names of a file, some of them perhaps twice.
func Names(doc *markdown.Document) (list []Name) {
	for _, id := range doc.IDs() {
		list = append(list, ByID(id))
	}
	for _, b := range doc.Blocks {
		if b.Entry != nil {
			list = appendEntry(list, b.Entry)
		}
		for _, f := range b.Facts {
			if f.Key != "" {
				list = append(list, ByKey(f.Key))
			}
			list = append(list, ByGist(f.Gist()))
		}
	}
	return list
}

func appendEntry(list []Name, e *memory.Entry) []Name {
	for _, c := range e.Commits {
		list = append(list, ByCommit(c.ID))
	}
	for _, patch := range e.Patch {
		if patch != "" {
			list = append(list, ByPatch(patch))
		}
	}
	for _, left := range e.Uncommitted.Items {
		if left.Blob != "" && e.Kind.ByAgent() {
			list = append(list, ByLeft(left.Blob))
		}
	}
	if e.Session != "" {
		list = append(list, BySession(e.Session))
	}
	return list
}
