package calls

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
)

// NoText is the TextID of a file that is not there.
const NoText = "none"

// TextID tells texts apart as an agent's file tools see them: without a byte
// order mark, and with any kind of line end taken for one. It is the first 16
// bytes of the SHA-256, in hex.
func TextID(content []byte) string {
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	content = bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:16])
}
