package gitindex

import (
	"bytes"
	"encoding/binary"
	"sort"
	"strings"
)

// Monitored is the state of git's file system monitor in an index (gitformat-index(5), "File System
// Monitor cache"): which entries git knew to match the files on disk at the moment that Token
// names.
type Monitored struct {
	Token string
	dirty []uint64 // bits of the entries that git did not know to match
	of    *Index
}

// monitorVersion names the extension's version in which the token is a text.
const monitorVersion = 2

// Monitored reads the extension. It returns nil if there is none, or if it is damaged or of an
// earlier version, because the extension only saves work.
func (x *Index) Monitored() *Monitored {
	b := x.monitor
	if len(b) < 4 || binary.BigEndian.Uint32(b) != monitorVersion {
		return nil
	}
	token, b, ok := bytes.Cut(b[4:], []byte{0})
	if !ok || len(b) < 4 || int64(binary.BigEndian.Uint32(b)) != int64(len(b)-4) {
		return nil
	}
	dirty, ok := ewah(b[4:], len(x.Entries))
	if !ok {
		return nil
	}
	return &Monitored{string(token), dirty, x}
}

// Clean reports whether entry i matched the file on disk.
func (m *Monitored) Clean(i int) bool { return m.dirty[i/64]>>(i%64)&1 == 0 }

// Moved marks the entries at a path and below it as unknown.
func (m *Monitored) Moved(path string) {
	path = strings.TrimSuffix(path, "/")
	m.from(path, func(name string) bool { return name == path })
	m.from(path+"/", func(name string) bool { return strings.HasPrefix(name, path+"/") })
}

// from marks the consecutive entries from a name on, as long as meant accepts them.
func (m *Monitored) from(name string, meant func(string) bool) {
	list := m.of.Entries
	for i := sort.Search(len(list), func(i int) bool { return list[i].Name >= name }); i < len(list) && meant(list[i].Name); i++ {
		m.dirty[i/64] |= 1 << (i % 64)
	}
}

// Parts of a word that describes the words after it (gitformat-bitmap(5), appendix A): one bit that
// is repeated, the number of words that consist of it, and the number of literal words after those.
const (
	ewahHeader  = 8 // bytes before the words: the numbers of bits and words
	ewahTrailer = 4 // bytes after them
	ewahRun     = 1<<32 - 1
)

// ewah reads a compressed bitmap of up to n bits. ok is false if the bytes are not such a bitmap,
// or hold more bits.
func ewah(b []byte, n int) (bits []uint64, ok bool) {
	if len(b) < ewahHeader+ewahTrailer {
		return nil, false
	}
	size, words := int64(binary.BigEndian.Uint32(b)), int64(binary.BigEndian.Uint32(b[4:]))
	b = b[ewahHeader : len(b)-ewahTrailer]
	if size > int64(n) || words*8 != int64(len(b)) {
		return nil, false
	}
	bits = make([]uint64, 0, (n+63)/64)
	for room := func() uint64 { return uint64(cap(bits) - len(bits)) }; len(b) > 0; {
		head := binary.BigEndian.Uint64(b)
		run, literal := head>>1&ewahRun, head>>33
		if b = b[8:]; run > room() || literal > room()-run || literal*8 > uint64(len(b)) {
			return nil, false
		}
		for range run {
			bits = append(bits, -(head & 1))
		}
		for range literal {
			bits, b = append(bits, binary.BigEndian.Uint64(b)), b[8:]
		}
	}
	return bits[:cap(bits)], true // the rest is zero
}
