package writeback

import (
	"agentflow/memory"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

func isWholeFile(id string) bool { return strings.HasPrefix(id, memory.WholeFile("")) }

// wholeRef names a whole file.
func wholeRef(name string) Ref {
	return Ref{ID: memory.WholeFile(name), Title: "the whole file " + name, File: name}
}

// wholeName returns the name of the file that the id of a whole file refers to.
func wholeName(id string) string {
	name := strings.TrimPrefix(id, memory.WholeFile(""))
	if end := strings.LastIndex(name, ".md@"); end >= 0 { // an earlier text: see view.changed
		name = name[:end+len(".md")]
	}
	return name
}

// ofWhole reports whether an id is that of a whole file, or of an earlier text of it.
func ofWhole(id, whole string) bool { return id == whole || strings.HasPrefix(id, whole+"@") }

func sumOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
