//go:build linux || darwin

package proc

import (
	"bytes"
	"encoding/binary"
)

// holdsTag looks for the tag in an environment whose entries end in NUL.
func holdsTag(environ []byte, tag string) bool {
	want := []byte(TagVar + "=" + tag)
	for entry := range bytes.SplitSeq(environ, []byte{0}) {
		if bytes.Equal(entry, want) {
			return true
		}
	}
	return false
}

// splitArgs takes apart what the sysctl KERN_PROCARGS2 of macOS returns: the
// number of arguments (32 bits, the machine's order), the program's path, NULs
// up to the first argument, the arguments and the environment, each ended by a
// NUL. What does not fit that shape gives as much as was understood.
func splitArgs(raw []byte) (argv, environ []byte) {
	if len(raw) < 4 {
		return nil, nil
	}
	count := binary.NativeEndian.Uint32(raw)
	rest := raw[4:]
	path := bytes.IndexByte(rest, 0)
	if path < 0 {
		return nil, nil
	}
	rest = bytes.TrimLeft(rest[path:], "\x00")
	used := 0
	for range count {
		n := bytes.IndexByte(rest[used:], 0)
		if n < 0 {
			return rest, nil
		}
		used += n + 1
	}
	return rest[:used], rest[used:]
}
