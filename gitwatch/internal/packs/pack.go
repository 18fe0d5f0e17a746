package packs

import "io"

// pack is one pack, which its index refers into.
type pack struct {
	in    io.ReaderAt
	size  int64
	bases map[int64]object // bases of recent deltas, by offset
	kept  int              // size of bases in bytes
}

// object is an unpacked object. Its bytes must not be changed.
type object struct {
	kind string
	raw  []byte
}

// Bounds of unpacking.
const (
	maxSize  = 1 << 30 // of an object, in bytes
	maxDepth = 1 << 14 // deltas of deltas; git makes at most 4095
	maxBases = 8 << 20 // bases of a pack that are kept, in bytes
)

// link is one delta of a chain. It is unpacked when its base is available, so that only one delta
// is in memory at a time.
type link struct {
	at int64
	*entry
}

// object unpacks the object at an offset, of at most limit bytes. It calls named for a base that is
// referred to by name.
func (p *pack) object(f *inflater, at, limit int64, named func(ID) (object, error)) (object, error) {
	var chain []link
	o := object{}
	for {
		if known, ok := p.bases[at]; ok {
			o = known
			break
		}
		e, err := readEntry(p.in, p.size, at)
		if err != nil {
			return object{}, err
		}
		if len(chain) == 0 {
			if err := p.within(f, e, at, limit); err != nil {
				return object{}, err
			}
		}
		if e.size > maxSize || len(chain) > maxDepth {
			return object{}, errDamaged
		}
		if e.kind < offsetDelta {
			raw, err := f.all(e.data, e.size)
			if err != nil {
				return object{}, err
			}
			o = object{kinds[e.kind], raw}
			p.keep(at, o, len(chain) > 0)
			break
		}
		chain = append(chain, link{at, e})
		if e.kind == referenceDelta {
			if o, err = named(e.name); err != nil {
				return object{}, err
			}
			break
		}
		at = e.base
	}
	if o, err := p.grow(f, o, chain); err != nil || int64(len(o.raw)) <= limit {
		return o, err
	}
	return object{}, ErrTooLarge
}

// within returns an error if the object of an entry has more than limit bytes. A delta has the size
// in its first bytes, which are unpacked again for this.
func (p *pack) within(f *inflater, e *entry, at, limit int64) error {
	size := e.size
	if e.kind >= offsetDelta {
		again, err := readEntry(p.in, p.size, at)
		if err != nil {
			return err
		}
		head, err := f.first(again.data, 20)
		if err != nil {
			return err
		}
		if _, size, _, err = sizes(head); err != nil {
			return err
		}
	}
	if size > limit {
		return ErrTooLarge
	}
	return nil
}

// grow applies the deltas of a chain to their base, the last one first.
func (p *pack) grow(f *inflater, o object, chain []link) (object, error) {
	for i := len(chain) - 1; i >= 0; i-- {
		delta, err := f.all(chain[i].data, chain[i].size)
		if err != nil {
			return object{}, err
		}
		raw, err := apply(o.raw, delta)
		if err != nil {
			return object{}, err
		}
		o.raw = raw
		p.keep(chain[i].at, o, i > 0)
	}
	return o, nil
}

// keep keeps the base of a delta, because other deltas are likely to use it too.
func (p *pack) keep(at int64, o object, isBase bool) {
	if !isBase || len(o.raw) > maxBases {
		return
	}
	if p.kept += len(o.raw); p.kept > maxBases || p.bases == nil {
		p.bases, p.kept = map[int64]object{}, len(o.raw)
	}
	p.bases[at] = o
}
