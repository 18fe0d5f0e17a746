package digest

import (
	"encoding/binary"
	"hash/crc32"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// Name is a key by which the contents of a file of memory are looked up. Different things can have
// the same name, so a caller that finds a file must look into it. A name is 0 to 2⁵¹−1.
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

// ByID returns the name of entries and facts, from the last four bytes of their ids. The id of a
// fact that was merged into another leads to that fact.
func ByID(id string) Name { return of(ofID, id[max(0, len(id)-nameBytes):]) }

// ByCommit returns the name of entries, from the first four bytes of a commit's id.
func ByCommit(id string) Name { return of(ofCommit, id[:min(nameBytes, len(id))]) }

// BySession returns the name of entries, from the id of their agent's session.
func BySession(id string) Name { return hashed(ofSession, id) }

// ByKey returns the name of facts, from their key.
func ByKey(key string) Name { return hashed(ofKey, key) }

// ByGist returns the name of facts, from memory.Fact.Gist.
func ByGist(gist string) Name { return hashed(ofGist, gist) }

// ByPatch returns the name of entries, from the patch id of one of their commits.
func ByPatch(patch string) Name { return hashed(ofPatch, patch) }

// ByLeft returns the name of runs, from the contents that they left uncommitted at one path: see
// changeset.ShortBlob.
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

// Names returns all names of a file. Some may occur twice.
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
