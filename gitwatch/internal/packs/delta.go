package packs

import "bytes"

// sizes reads the sizes that a delta begins with: of its base and of its result.
func sizes(delta []byte) (base, result int64, rest []byte, err error) {
	in := bytes.NewReader(delta)
	if base, err = varint(in); err == nil {
		result, err = varint(in)
	}
	return base, result, delta[len(delta)-in.Len():], err
}

// apply returns the result of a delta, which consists of parts of the base and of data in the delta
// (gitformat-pack(5)).
func apply(base, delta []byte) ([]byte, error) {
	from, to, rest, err := sizes(delta)
	if err != nil || from != int64(len(base)) || to > maxSize {
		return nil, errDamaged
	}
	out := make([]byte, 0, min(to, ahead))
	for len(rest) > 0 {
		op := rest[0]
		rest = rest[1:]
		var part []byte
		switch {
		case op == 0:
			return nil, errDamaged
		case op < 0x80:
			part, rest, err = brought(rest, int(op))
		default:
			part, rest, err = copied(base, rest, op)
		}
		if err != nil || int64(len(out)+len(part)) > to {
			return nil, errDamaged
		}
		out = append(out, part...)
	}
	if int64(len(out)) != to {
		return nil, errDamaged
	}
	return out, nil
}

func brought(rest []byte, n int) (part, behind []byte, err error) {
	if n > len(rest) {
		return nil, nil, errDamaged
	}
	return rest[:n], rest[n:], nil
}

// copied returns a part of the base. The lowest four bits of op say which bytes of its offset
// follow, the next three which bytes of its length.
func copied(base, rest []byte, op byte) (part, behind []byte, err error) {
	var at, n int64 // four bytes do not fit an int on every system
	for i := range 7 {
		if op&(1<<i) == 0 {
			continue
		}
		if len(rest) == 0 {
			return nil, nil, errDamaged
		}
		if i < 4 {
			at |= int64(rest[0]) << (8 * i)
		} else {
			n |= int64(rest[0]) << (8 * (i - 4))
		}
		rest = rest[1:]
	}
	if n == 0 {
		n = 0x10000
	}
	if at+n > int64(len(base)) {
		return nil, nil, errDamaged
	}
	return base[at : at+n], rest, nil
}
