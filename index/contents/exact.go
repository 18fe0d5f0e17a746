package contents

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"agentflow/index/stems"
)

// Exact names are looked up like stems, by hashes that no stem has, because no stem begins with
// one of these characters.
const (
	baseMark   = "\x01" // the name of a file
	moduleMark = "\x02" // the name by which other files import a file
	symbolMark = "\x03" // an identifier that a file defines
)

// OfBase returns the hash of files with this name, such as "table.go".
func OfBase(name string) uint32 { return stems.Hash(baseMark + name) }

// OfModule returns the hash of files that are a module with this name: see ModuleOf.
func OfModule(name string) uint32 { return stems.Hash(moduleMark + name) }

// OfSymbol returns the hash of files that define this identifier, which is not split.
func OfSymbol(name string) uint32 { return stems.Hash(symbolMark + name) }

// ModuleOf returns the path by which other files import a file: without the ending, and without the
// last element if the file stands for its folder.
func ModuleOf(file string) string {
	folder, name := path.Split(file)
	stem := strings.TrimSuffix(name, path.Ext(name))
	switch stem {
	case "__init__", "mod", "index":
		return strings.TrimSuffix(folder, "/")
	}
	return folder + stem
}

// namesOfPath returns the hashes of the names of a file.
func namesOfPath(file string) []uint32 {
	return []uint32{OfBase(path.Base(file)), OfModule(path.Base(ModuleOf(file)))}
}

// exact returns the hashes under which a file is found besides its stems, each once and none
// that is one of its stems.
func (d Doc) exact(file string) []uint32 {
	list := distinct(append(namesOfPath(file), d.Symbols...))
	return slices.DeleteFunc(list, func(h uint32) bool {
		_, held := slices.BinarySearch(d.Held, h)
		return held
	})
}

// receiverBytes bounds a receiver: "func (t *Table) Put".
const receiverBytes = 100

// afterReceiver returns the end of a receiver in parentheses that begins a text, or 0.
func afterReceiver(text []byte) int {
	rest := bytes.TrimLeft(text[:min(len(text), receiverBytes)], " ")
	if len(rest) == 0 || rest[0] != '(' {
		return 0
	}
	return len(text[:min(len(text), receiverBytes)]) - len(rest) + bytes.IndexByte(rest, ')') + 1
}

// isAssigned reports whether a word at the beginning of a line gets a value: "LIMIT = 3".
func isAssigned(text []byte, from, to int) bool {
	if from > 0 && text[from-1] != '\n' {
		return false
	}
	rest := bytes.TrimLeft(text[to:min(len(text), to+3)], " ")
	return len(rest) > 1 && rest[0] == '=' && rest[1] != '='
}
