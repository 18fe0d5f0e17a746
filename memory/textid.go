package memory

import (
	"crypto/sha256"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
)

// SameText is what two texts have in common that differ only in white space,
// in the capital that begins a word, or in a full stop at the end. A word with
// any other capital is a name, and is kept as it stands. Tombstones and ids
// are made of it: it has to stay as it is.
func SameText(text string) string {
	words := strings.Fields(text)
	for i, w := range words {
		rest := strings.TrimLeftFunc(w, func(r rune) bool { return !unicode.IsLetter(r) })
		_, first := utf8.DecodeRuneInString(rest)
		if strings.IndexFunc(rest[first:], unicode.IsUpper) < 0 {
			words[i] = strings.ToLower(w)
		}
	}
	return strings.TrimRight(strings.Join(words, " "), ".")
}

// TextID stands for what a text says, as far as SameText tells, wherever it
// stands and whatever its id is: forgetting a fact leaves a tombstone of it
// too, so that the text does not come back under another id.
func TextID(text string) string { return HashID("text", SameText(text)) }

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
