package memory

import (
	"crypto/sha256"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"time"

	"agentflow/internal/words"

	"github.com/google/uuid"
)

// NewID returns a UUIDv7 (RFC 9562, section 5.7) for the millisecond of t. Its other 74 bits are
// taken from random.
func NewID(t time.Time, random io.Reader) (string, error) {
	var id uuid.UUID
	if _, err := io.ReadFull(random, id[6:]); err != nil {
		return "", fmt.Errorf("making an id: %w", err)
	}
	ms := uint64(t.UnixMilli())
	for i := range 6 {
		id[i] = byte(ms >> (40 - 8*i))
	}
	id[6] = id[6]&0x0f | 0x70
	id[8] = id[8]&0x3f | 0x80
	return id.String(), nil
}

// WholeFile returns the id of a file of memory without entries. The log can restore such a file
// when it is gone.
func WholeFile(name string) string { return "file:" + name }

// ShortID returns the form of an id that people type: its last six digits, or all of the id of a
// whole file.
func ShortID(id string) string {
	if strings.HasPrefix(id, WholeFile("")) {
		return id
	}
	id = strings.ReplaceAll(id, "-", "")
	return id[max(0, len(id)-6):]
}

// longID matches our ids, and those of agents' sessions.
var longID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`) })

// ShortIDs shortens the ids in a text for people.
func ShortIDs(text string) string { return longID().ReplaceAllStringFunc(text, ShortID) }

// IsID reports whether text has the form of an id. Among the sources of facts, only runs have it.
func IsID(text string) bool {
	return len(text) == 36 && strings.Count(text, "-") == 4 && strings.Trim(text, "0123456789abcdef-") == ""
}

// TextID returns an id for the content of a text, up to the differences that words.SameText
// ignores. It does not depend on where the text is, or on the id of its fact. Forgetting a fact
// leaves a tombstone of its TextID too, so that the text does not come back under another id.
func TextID(text string) string { return HashID("text", words.SameText(text)) }

// HashID returns a UUIDv8 (RFC 9562, section 5.8) that depends only on the parts: its 122 free bits
// are the first of the SHA-256 of "agentflow id" and each part, with a NUL before each.
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
