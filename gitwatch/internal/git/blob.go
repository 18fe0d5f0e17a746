package git

import (
	"crypto/sha1" //nolint:gosec // git's object ids
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// BlobID is the id git gives to contents where it uses SHA-1, in hex.
func BlobID(content []byte) string {
	h := sha1.New() //nolint:gosec // git's object ids
	fmt.Fprintf(h, "blob %d\x00", len(content))
	h.Write(content)
	return hex.EncodeToString(h.Sum(nil))
}

// IsBlob says whether an id, of either kind, is that of contents.
func IsBlob(content []byte, id string) bool {
	if len(id) == 2*sha256.Size {
		return BlobID256(content) == id
	}
	return BlobID(content) == id
}

// BlobID256 is the id git gives to contents where it uses SHA-256, in hex.
func BlobID256(content []byte) string {
	h := sha256.New()
	fmt.Fprintf(h, "blob %d\x00", len(content))
	h.Write(content)
	return hex.EncodeToString(h.Sum(nil))
}
