package git

import (
	"crypto/sha1" //nolint:gosec // git's object ids
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strconv"
	"strings"
)

// Algorithm is the way a repository computes the ids of its objects.
type Algorithm uint8

// The algorithms of git (git-init(1), --object-format).
const (
	SHA1 Algorithm = iota
	SHA256
)

// Size returns the length of an id in bytes.
func (a Algorithm) Size() int {
	if a == SHA256 {
		return sha256.Size
	}
	return sha1.Size
}

// New returns a new checksum.
func (a Algorithm) New() hash.Hash {
	if a == SHA256 {
		return sha256.New()
	}
	return sha1.New() //nolint:gosec // git's object ids
}

// Object returns a hash for the id of an object. The caller writes its size bytes.
func (a Algorithm) Object(kind string, size int64) hash.Hash {
	h := a.New()
	h.Write(append(strconv.AppendInt([]byte(kind+" "), size, 10), 0))
	return h
}

// BlobID returns the id that git gives to contents, in hex.
func (a Algorithm) BlobID(content []byte) string {
	h := a.Object("blob", int64(len(content)))
	h.Write(content)
	return hex.EncodeToString(h.Sum(nil))
}

// IsBlob reports whether an id, of either algorithm, is that of contents.
func IsBlob(content []byte, id string) bool {
	if len(id) == 2*sha256.Size {
		return SHA256.BlobID(content) == id
	}
	return SHA1.BlobID(content) == id
}

// ID is an object id: 20 bytes if the repository uses SHA-1, 32 if it uses SHA-256. The empty ID
// means none: an unborn branch, the empty tree.
type ID string

// String returns the id in lower-case hex.
func (o ID) String() string { return hex.EncodeToString([]byte(o)) }

// ParseID reads a full id in lower-case hex. The id of zeros, which git uses for "none", gives the
// empty ID.
func ParseID(s string) (ID, bool) {
	if len(s) != 40 && len(s) != 64 || strings.Trim(s, "0123456789abcdef") != "" {
		return "", false
	}
	raw, err := hex.DecodeString(s)
	if err != nil {
		return "", false
	}
	if strings.Trim(s, "0") == "" {
		return "", true
	}
	return ID(raw), true
}

// KnownID returns the id in a text that was read from git or written by us. It returns the empty ID
// for any other text.
func KnownID(s string) ID {
	id, _ := ParseID(s)
	return id
}

// Git's file modes, as in trees and in the index.
const (
	ModeDir     = 0o040000
	ModeFile    = 0o100644
	ModeExec    = 0o100755
	ModeLink    = 0o120000
	ModeGitlink = 0o160000
)

// Kind returns the part of a mode that distinguishes files, links and gitlinks.
func Kind(mode uint32) uint32 { return mode & 0o170000 }

// IsRegular reports whether a mode is that of a file, executable or not.
func IsRegular(mode uint32) bool { return Kind(mode) == 0o100000 }

// CanonicalMode maps the modes that old versions of git wrote (such as 100664) to those it compares
// by.
func CanonicalMode(mode uint32) uint32 {
	if !IsRegular(mode) {
		return mode
	}
	if mode&0o100 != 0 {
		return ModeExec
	}
	return ModeFile
}
