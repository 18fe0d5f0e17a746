package memory

import (
	"crypto/sha256"

	"agentflow/internal/words"

	"github.com/google/uuid"
)

// TextID stands for what a text says, as far as words.SameText tells, wherever it
// stands and whatever its id is: forgetting a fact leaves a tombstone of it
// too, so that the text does not come back under another id.
func TextID(text string) string { return HashID("text", words.SameText(text)) }

// HashID is a UUIDv8 (RFC 9562, section 5.8) that follows from the parts
// alone: its 122 free bits are the first of the SHA-256 of
// "agentflow id" and each part, with a NUL before each.
func HashID(parts ...string) string {
	h := sha256.New()
	h.Write([]byte("agentflow id"))
	for _, p := range parts {
		h.Write([]byte("\x00" + p))
	}
	id := uuid.UUID(h.Sum(nil)[:16])
	id[6] = id[6]&0x0f | 0x80
	id[8] = id[8]&0x3f | 0x80
	return id.String()
}
