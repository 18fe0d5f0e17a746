package git

import (
	"crypto/sha1" //nolint:gosec // git's object ids
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strconv"
)

// Algorithm is how a repository computes the ids of its objects.
type Algorithm uint8

// The algorithms of git (git-init(1), --object-format).
const (
	SHA1 Algorithm = iota
	SHA256
)

// Size is the length of an id in bytes.
func (a Algorithm) Size() int {
	if a == SHA256 {
		return sha256.Size
	}
	return sha1.Size
}

// New starts a checksum.
func (a Algorithm) New() hash.Hash {
	if a == SHA256 {
		return sha256.New()
	}
	return sha1.New() //nolint:gosec // git's object ids
}

// Object starts the id of an object, of whose size bytes the hash is to be fed.
func (a Algorithm) Object(kind string, size int64) hash.Hash {
	h := a.New()
	h.Write(append(strconv.AppendInt([]byte(kind+" "), size, 10), 0))
	return h
}

// BlobID is the id that git gives to contents, in hex.
func (a Algorithm) BlobID(content []byte) string {
	h := a.Object("blob", int64(len(content)))
	h.Write(content)
	return hex.EncodeToString(h.Sum(nil))
}

// IsBlob says whether an id, of either algorithm, is that of contents.
func IsBlob(content []byte, id string) bool {
	if len(id) == 2*sha256.Size {
		return SHA256.BlobID(content) == id
	}
	return SHA1.BlobID(content) == id
}
