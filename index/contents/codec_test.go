package contents

import (
	"encoding/binary"
	"reflect"
	"slices"
	"testing"
)

// pieceOf makes a piece of any bytes.
func pieceOf(data []byte) *piece {
	p := &piece{}
	for len(data) >= 9 {
		n := int(data[0]) % 6
		var d Doc
		for data = data[1:]; n > 0 && len(data) >= 4; n-- {
			d.Held = append(d.Held, binary.LittleEndian.Uint32(data))
			data = data[4:]
		}
		d.Held = distinct(d.Held)
		d.Defined = d.Held[:len(d.Held)/2]
		last := ""
		if len(p.files) > 0 {
			last = p.files[len(p.files)-1].path
		}
		p.add(last+string(rune('a'+len(data)%20)), d, seen{Stat{int64(n), int64(len(data)), -1, 1 << 63}, sumOf(d)})
	}
	p.sort()
	return p
}

// FuzzPiece checks that a stored piece is read back unchanged.
func FuzzPiece(f *testing.F) {
	f.Add([]byte("\x03aaaabbbbcccc\x02aaaadddd"), uint8(0))
	f.Add(slices.Repeat([]byte("\x05some bytes of any kind that make stems"), 20), uint8(5))
	f.Fuzz(func(t *testing.T, data []byte, bits uint8) {
		p := pieceOf(data)
		got := &piece{}
		var err error
		if got.files, err = namesOf(p.nameBytes()); err == nil {
			err = readStats(stats(p.files), got.files)
		}
		must(t, err)
		rows, err := catalogOf(catalogBytes([]pieceRow{{id: 7, bits: p.bits(), files: len(p.files), dead: bitmap{}, buckets: data[:min(len(data), 9)]}}))
		if err != nil || len(rows) != 1 || rows[0].id != 7 || rows[0].files != len(p.files) {
			t.Fatalf("%+v %v", rows, err)
		}
		last := -1
		for bucket, b := range p.buckets(int(bits) % (maxBits + 1)) {
			if int(bucket) <= last {
				t.Fatalf("bucket %d follows %d", bucket, last)
			}
			last = int(bucket)
			got.marks, err = marksOf(got.marks, b, len(p.files))
			must(t, err)
		}
		if !slices.Equal(got.marks, p.marks) || len(p.files) > 0 && !reflect.DeepEqual(got.files, p.files) {
			t.Fatalf("got %+v, want %+v", got, p)
		}
	})
}

// FuzzDecoders checks that the decoders read or refuse any bytes.
func FuzzDecoders(f *testing.F) {
	p := pieceOf(slices.Repeat([]byte("\x05some bytes of any kind that make stems"), 20))
	f.Add(p.nameBytes(), 3)
	f.Add(stats(p.files), 3)
	for _, b := range p.buckets(1) {
		f.Add(b, 20)
	}
	f.Fuzz(func(t *testing.T, data []byte, files int) {
		if list, err := namesOf(data); err == nil && len(list) > len(data) {
			t.Error("there are more files than bytes")
		}
		if rows, err := catalogOf(data); err == nil && len(rows) > len(data) {
			t.Error("there are more pieces than bytes")
		}
		_ = readStats(data, make([]known, max(0, min(files, 100))))
		_, _ = unseal(int64(files), data)
		marks, err := marksOf(nil, data, files)
		for i, m := range marks {
			if err == nil && (markFile(m) >= files || i > 0 && m <= marks[i-1]) {
				t.Errorf("mark %d is %x", i, m)
			}
		}
	})
}
