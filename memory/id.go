package memory

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/google/uuid"
)

// NewID is a UUIDv7 (RFC 9562, section 5.7) of the millisecond t, its other
// 74 bits taken from random.
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

// ShortID is the form of an id that people type: its last six digits.
func ShortID(id string) string {
	id = strings.ReplaceAll(id, "-", "")
	return id[max(0, len(id)-6):]
}
