package packs

import (
	"bytes"
	"encoding/binary"
	"testing"
)

func FuzzIndex(f *testing.F) {
	b := binary.BigEndian.AppendUint32(nil, indexMagic)
	b = binary.BigEndian.AppendUint32(b, 2)
	for range 256 {
		b = binary.BigEndian.AppendUint32(b, 1)
	}
	b = append(b, make([]byte, idSize+4+4+trailersSize)...)
	f.Add(b, make([]byte, idSize))
	f.Fuzz(func(t *testing.T, b, name []byte) {
		x, err := openIndex(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		var id ID
		copy(id[:], name)
		if at, ok, err := x.offset(id); ok && (err != nil || at < 0) {
			t.Errorf("found at %d, %v", at, err)
		}
	})
}

func FuzzMulti(f *testing.F) {
	f.Add(repeatedChunk(), make([]byte, idSize))
	f.Fuzz(func(t *testing.T, b, name []byte) {
		m, err := openMulti(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			return
		}
		var id ID
		copy(id[:], name)
		if pack, at, ok, err := m.offset(id); ok && (err != nil || at < 0 || pack == "") {
			t.Errorf("found in %q at %d, %v", pack, at, err)
		}
	})
}

func FuzzPack(f *testing.F) {
	f.Add([]byte("\x95\x0ax\x9c\x03\x00\x00\x00\x00\x01"), int64(0))
	f.Add([]byte("\x60\x01x\x9c\x03\x00\x00\x00\x00\x01"), int64(1))
	f.Fuzz(func(t *testing.T, b []byte, at int64) {
		p := &pack{in: bytes.NewReader(b), size: int64(len(b))}
		o, err := p.object(&inflater{}, at, 1<<20, func(ID) (object, error) { return object{"blob", b}, nil })
		if err == nil && (o.kind == "" || len(o.raw) > 1<<20) {
			t.Errorf("%q of %d bytes", o.kind, len(o.raw))
		}
	})
}

func FuzzDelta(f *testing.F) {
	f.Add([]byte("base"), []byte("\x04\x06\x90\x04\x02ab"))
	f.Fuzz(func(t *testing.T, base, delta []byte) {
		out, err := apply(base, delta)
		if _, size, _, e := sizes(delta); err == nil && (e != nil || int64(len(out)) != size) {
			t.Errorf("%d bytes, said %d", len(out), size)
		}
	})
}

func FuzzLoose(f *testing.F) {
	f.Add([]byte("x\x9cK\xca\xc9OR0`\x00\x00\x0d\xf6\x02\x89"))
	f.Fuzz(func(t *testing.T, b []byte) {
		o, err := unpackLoose(&inflater{}, bytes.NewReader(b), 1<<20)
		if err == nil && (o.kind == "" || len(o.raw) > 1<<20) {
			t.Errorf("%q of %d bytes", o.kind, len(o.raw))
		}
	})
}
