package gitwatch

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// oid is an object id: 20 bytes where the repository uses SHA-1, 32 where it
// uses SHA-256. The empty one is none: an unborn branch, the empty tree.
type oid string

// String is the id in lower-case hex.
func (o oid) String() string { return hex.EncodeToString([]byte(o)) }

// parseID reads a full id in lower-case hex. The id of zeros, by which git
// says "none", is the empty one.
func parseID(s string) (oid, bool) {
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
	return oid(raw), true
}

// knownID is the id that a text read from git or written by us holds; none
// for any other text.
func knownID(s string) oid {
	id, _ := parseID(s)
	return id
}

// blobID is the id git gives to contents in this repository.
func (r *Repo) blobID(content []byte) string {
	if r.shape.sha256 {
		return blobID256(content)
	}
	return blobID(content)
}

// isBlob says whether an id, of either kind, is that of contents.
func isBlob(content []byte, id string) bool {
	if len(id) == 2*sha256.Size {
		return blobID256(content) == id
	}
	return blobID(content) == id
}

func blobID256(content []byte) string {
	h := sha256.New()
	fmt.Fprintf(h, "blob %d\x00", len(content))
	h.Write(content)
	return hex.EncodeToString(h.Sum(nil))
}
