package items

import (
	"agentflow/memory"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// IsWhole reports whether an id is that of a whole file.
func IsWhole(id string) bool { return strings.HasPrefix(id, memory.WholeFile("")) }

// WholeRef names a whole file.
func WholeRef(name string) Ref {
	return Ref{ID: memory.WholeFile(name), Title: "the whole file " + name, File: name}
}

// WholeName returns the name of the file that the id of a whole file refers to.
func WholeName(id string) string {
	name := strings.TrimPrefix(id, memory.WholeFile(""))
	if end := strings.LastIndex(name, ".md@"); end >= 0 { // an earlier text: see package view
		name = name[:end+len(".md")]
	}
	return name
}

// OfWhole reports whether an id is that of a whole file, or of an earlier text of it.
func OfWhole(id, whole string) bool { return id == whole || strings.HasPrefix(id, whole+"@") }

// SumOf returns the SHA-256 of a text, in hex.
func SumOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
