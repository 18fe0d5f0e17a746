package packs

import (
	"bytes"
	"io"
	"strings"
)

// multi is a multi-pack-index, version 1: one index of several packs
// (gitformat-pack(5)).
type multi struct {
	names
	packs               []string // names of the packs' files, without folder and extension
	offsets             int64
	large, largeEnd     int64 // the 8-byte offsets; both 0: there are none
	offsetsOf, chunkEnd map[string]int64
}

const (
	multiMagic    = 0x4d494458 // "MIDX"
	multiHeader   = 12
	maxMultiPacks = 1 << 16
)

func openMulti(in io.ReaderAt, size int64) (*multi, error) {
	m := &multi{names: names{in: in}}
	head, err := number(in, 0, 8)
	if err != nil {
		return nil, err
	}
	packs, err := number(in, 8, 4)
	if err != nil {
		return nil, err
	}
	version, hash, chunks, base := byte(head>>24), byte(head>>16), int(byte(head>>8)), byte(head)
	if head>>32 != multiMagic || version != 1 || hash != 1 || base != 0 || packs > maxMultiPacks {
		return nil, errDamaged
	}
	if err := m.readChunks(chunks, size); err != nil {
		return nil, err
	}
	if err := m.readFan(m.offsetsOf["OIDF"]); err != nil {
		return nil, err
	}
	m.at, m.offsets = m.offsetsOf["OIDL"], m.offsetsOf["OOFF"]
	m.large, m.largeEnd = m.offsetsOf["LOFF"], m.chunkEnd["LOFF"]
	if m.at+m.count()*idSize > m.chunkEnd["OIDL"] || m.offsets+m.count()*8 > m.chunkEnd["OOFF"] {
		return nil, errDamaged
	}
	return m, m.readPacks(int(packs))
}

// readChunks reads where the chunks begin and end.
func (m *multi) readChunks(count int, size int64) error {
	m.offsetsOf, m.chunkEnd = map[string]int64{}, map[string]int64{}
	last := ""
	for i := range count + 1 {
		var line [12]byte
		if _, err := m.in.ReadAt(line[:], multiHeader+int64(i)*12); err != nil {
			return noEOF(err)
		}
		at, err := number(bytes.NewReader(line[:]), 4, 8)
		if err != nil || at > uint64(size) || int64(at) < m.offsetsOf[last] {
			return errDamaged
		}
		if last != "" {
			m.chunkEnd[last] = int64(at)
		}
		last = string(line[:4])
		if _, twice := m.offsetsOf[last]; twice {
			return errDamaged
		}
		m.offsetsOf[last] = int64(at)
	}
	for _, needed := range []string{"PNAM", "OIDF", "OIDL", "OOFF"} {
		if m.chunkEnd[needed] == 0 {
			return errDamaged
		}
	}
	return nil
}

// maxPackName bounds the names of packs together, in bytes per pack.
const maxPackName = 256

func (m *multi) readPacks(count int) error {
	size := m.chunkEnd["PNAM"] - m.offsetsOf["PNAM"]
	if size > int64(count)*maxPackName {
		return errDamaged
	}
	text := make([]byte, size)
	if _, err := m.in.ReadAt(text, m.offsetsOf["PNAM"]); err != nil {
		return noEOF(err)
	}
	list := strings.Split(string(text), "\x00")
	if len(list) <= count {
		return errDamaged
	}
	for _, name := range list[:count] {
		name, isIndex := strings.CutSuffix(name, ".idx")
		if !isIndex || strings.ContainsAny(name, `/\`) {
			return errDamaged
		}
		m.packs = append(m.packs, name)
	}
	return nil
}

// offset finds the pack of an object, and where it begins in it.
func (m *multi) offset(id ID) (pack string, at int64, ok bool, err error) {
	place, ok, err := m.find(id)
	if !ok || err != nil {
		return "", 0, false, err
	}
	both, err := number(m.in, m.offsets+8*place, 8)
	if err != nil || both>>32 >= uint64(len(m.packs)) {
		return "", 0, false, errDamaged
	}
	short := both & 0xffffffff
	if m.large > 0 {
		at, err = longOffset(m.in, short, m.large, m.largeEnd)
	} else {
		at = int64(short) // without a chunk of long offsets, the first bit is part of the offset
	}
	return m.packs[both>>32], at, err == nil, err
}
