package git

import (
	"encoding/hex"
	"strings"
)

// ID is an object id: 20 bytes where the repository uses SHA-1, 32 where it
// uses SHA-256. The empty one is none: an unborn branch, the empty tree.
type ID string

// String is the id in lower-case hex.
func (o ID) String() string { return hex.EncodeToString([]byte(o)) }

// ParseID reads a full id in lower-case hex. The id of zeros, by which git
// says "none", is the empty one.
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

// KnownID is the id that a text read from git or written by us holds; none
// for any other text.
func KnownID(s string) ID {
	id, _ := ParseID(s)
	return id
}
