package packs

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"agentflow/internal/testing/gittest"
)

// repeatedChunk is a multi-pack-index in which the table of chunks ends with its first name, so
// that the chunk would end before it begins.
func repeatedChunk() []byte {
	const table = multiHeader + 5*12
	b := []byte("MIDX\x01\x01\x04\x00\x00\x00\x00\x01")
	for _, row := range []struct {
		id string
		at uint64
	}{{"PNAM", table}, {"OIDF", table + 16}, {"OIDL", table + 16 + fanSize}, {"OOFF", table + 16 + fanSize}, {"PNAM", table + 16 + fanSize}} {
		b = binary.BigEndian.AppendUint64(append(b, row.id...), row.at)
	}
	return append(b, make([]byte, 16+fanSize)...)
}

func TestAChunkIsNamedOnce(t *testing.T) {
	b := repeatedChunk()
	if _, err := openMulti(bytes.NewReader(b), int64(len(b))); !errors.Is(err, errDamaged) {
		t.Error(err)
	}
}

// TestADamagedMultiIsNoMissingObject holds that an entry that cannot be read is not
// taken for an object that is not there.
func TestADamagedMultiIsNoMissingObject(t *testing.T) {
	f := history(t)
	f.Git("gc", "-q")
	f.Git("multi-pack-index", "write")
	head := idOf(t, f.Git("rev-parse", "HEAD"))
	file := filepath.Join(f.Dir, ".git", "objects", "pack", "multi-pack-index")
	text, err := os.ReadFile(file)
	gittest.Must(t, err)
	m, err := openMulti(bytes.NewReader(text), int64(len(text)))
	gittest.Must(t, err)
	for i := range m.count() { // there are not so many packs
		binary.BigEndian.PutUint32(text[m.offsets+8*i:], 1<<20)
	}
	gittest.Must(t, os.Remove(file))
	gittest.Must(t, os.WriteFile(file, text, 0o600))
	s := Open(filepath.Join(f.Dir, ".git", "objects"))
	defer s.Close()
	if _, _, err := s.Object(head, maxSize); !errors.Is(err, errDamaged) {
		t.Error(err)
	}
}

// TestADeltaOfItself holds that deltas which lead nowhere are not unpacked: a file of
// 1 kB would need 4 GB.
func TestADeltaOfItself(t *testing.T) {
	var b bytes.Buffer
	b.WriteByte(referenceDelta<<4 | 0x80)
	b.Write(binary.AppendUvarint(nil, 1<<20>>4))
	b.Write(make([]byte, idSize))
	z := zlib.NewWriter(&b)
	_, err := z.Write(append([]byte{4, 4}, make([]byte, 1<<20-2)...))
	gittest.Must(t, err)
	gittest.Must(t, z.Close())
	p := &pack{in: bytes.NewReader(b.Bytes()), size: int64(b.Len())}
	depth := 0
	var itself func(ID) (object, error)
	itself = func(ID) (object, error) {
		if depth++; depth > 500 {
			return object{}, errDamaged
		}
		return p.object(&inflater{}, 0, maxSize, itself)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = itself(ID{})
	runtime.ReadMemStats(&after)
	if !errors.Is(err, errDamaged) {
		t.Error(err)
	}
	used := after.TotalAlloc - before.TotalAlloc
	if used > 100<<20 {
		t.Errorf("%d MB", used>>20)
	}
}

// TestCopiesFromFarAway reads places and lengths that do not fit an int of 32 bits.
func TestCopiesFromFarAway(t *testing.T) {
	if out, err := apply([]byte("base"), []byte("\x04\x04\x9f\xff\xff\xff\xff\x04")); err == nil {
		t.Errorf("copied %q", out)
	}
}
