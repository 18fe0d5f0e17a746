package digest

import (
	"encoding/binary"
	"errors"
	"maps"
	"math"
	"slices"
	"time"

	"agentflow/memory"
)

// The form of a digest: each field in order; numbers as varints, texts and lists after their
// lengths, shares as the bits of a float64. Changing it requires a new schema of the index.

// Append appends the digest to b.
func (d *Digest) Append(b []byte) []byte {
	w := &writer{b}
	d.code(w)
	return w.b
}

// errDamaged reports bytes that Append did not write.
var errDamaged = errors.New("a digest of a file is not as it was written")

// Decode reads a digest that Append wrote.
func Decode(b []byte) (*Digest, error) {
	r := &reader{rest: string(b)} // the digest's texts are parts of this string
	d := &Digest{}
	d.code(r)
	if r.damaged || r.rest != "" {
		return nil, errDamaged
	}
	return d, nil
}

// coder writes the values it is given, or reads into them.
type coder interface {
	number(*int64)
	share(*float64)
	text(*string)
	// count codes the number of members of a list, each of at least one byte.
	count(have int) int
}

func (d *Digest) code(c coder) {
	integer(c, &d.Blocks)
	kinds := slices.Sorted(maps.Keys(d.Kinds))
	list(c, &kinds, func(k *memory.Kind) {
		text(c, k)
		n := d.Kinds[*k]
		if integer(c, &n); d.Kinds == nil {
			d.Kinds = map[memory.Kind]int{}
		}
		d.Kinds[*k] = n
	})
	list(c, &d.Facts, func(f *Fact) { f.code(c) })
	c.text(&d.entries)
}

func (e *Entry) code(c coder) {
	text(c, &e.Kind)
	date(c, &e.Time)
	flag(c, &e.Success)
	c.share(&e.CostUSD)
}

func (f *Fact) code(c coder) {
	within := f.Entry != nil
	if flag(c, &within); within {
		if f.Entry == nil {
			f.Entry = &memory.Entry{}
		}
		c.text(&f.Entry.ID)
		text(c, &f.Entry.Kind)
		date(c, &f.Entry.Time)
		flag(c, &f.Entry.Pinned)
	}
	integer(c, &f.StartLine)
	integer(c, &f.EndLine)
	fact(c, &f.Fact)
}

func fact(c coder, f *memory.Fact) {
	text(c, &f.Type)
	c.share(&f.Importance)
	c.share(&f.Confidence)
	list(c, &f.Tags, c.text)
	list(c, &f.Under, c.text)
	list(c, &f.Paths, c.text)
	flag(c, &f.Struck)
	for _, s := range []*string{&f.ID, &f.Category, &f.Key, &f.Namespace, &f.Supersedes, &f.SupersededBy, &f.Source, &f.Agent, &f.Session, &f.Person,
		&f.Said, &f.Edited, &f.Reason, &f.Commit, &f.Text} {
		c.text(s)
	}
	for _, t := range []*time.Time{&f.Created, &f.Updated, &f.Expires} {
		date(c, t)
	}
	list(c, &f.Merged, func(o *memory.Origin) {
		c.text(&o.ID)
		c.text(&o.Source)
		c.text(&o.Commit)
		date(c, &o.Created)
	})
}

func integer(c coder, n *int) {
	wide := int64(*n)
	c.number(&wide)
	*n = int(wide)
}

func flag(c coder, is *bool) {
	n := int64(0)
	if *is {
		n = 1
	}
	c.number(&n)
	*is = n == 1
}

func text[S ~string](c coder, s *S) {
	plain := string(*s)
	c.text(&plain)
	*s = S(plain)
}

// mostAhead bounds the members for which room is made before they are read, because damaged data
// may claim any number.
const mostAhead = 1000

func list[T any](c coder, l *[]T, code func(*T)) {
	n := c.count(len(*l))
	*l = slices.Grow(*l, max(0, min(n, mostAhead)-len(*l)))
	for i := range n {
		if i == len(*l) { // the list is being read
			*l = append(*l, *new(T))
		}
		code(&(*l)[i])
	}
}

// date codes whole seconds with their offset; the zero time stays zero.
func date(c coder, t *time.Time) {
	known := !t.IsZero()
	if flag(c, &known); !known {
		return
	}
	_, east := t.Zone()
	unix := t.Unix()
	c.number(&unix)
	integer(c, &east)
	if *t = time.Unix(unix, 0).UTC(); east != 0 {
		*t = t.In(time.FixedZone("", east))
	}
}

type writer struct{ b []byte }

func (w *writer) number(n *int64)    { w.b = binary.AppendVarint(w.b, *n) }
func (w *writer) count(have int) int { w.b = binary.AppendUvarint(w.b, uint64(have)); return have }

func (w *writer) text(s *string) {
	w.count(len(*s))
	w.b = append(w.b, *s...)
}

func (w *writer) share(x *float64) {
	if *x == 0 {
		w.b = append(w.b, 0)
		return
	}
	w.b = binary.LittleEndian.AppendUint64(append(w.b, 1), math.Float64bits(*x))
}

// reader reads a digest. Once it is damaged it reads nothing more.
type reader struct {
	rest    string
	damaged bool
}

func (r *reader) take(n int) string {
	if n < 0 || n > len(r.rest) {
		r.damaged, r.rest, n = true, "", 0
	}
	part := r.rest[:n]
	r.rest = r.rest[n:]
	return part
}

// varint reads a number as binary.Uvarint does.
func (r *reader) varint() (n uint64) {
	for shift := uint(0); shift < 64; shift += 7 {
		part := r.take(1)
		if part == "" {
			return 0
		}
		n |= uint64(part[0]&0x7f) << shift
		if part[0] < 0x80 {
			return n
		}
	}
	r.damaged = true
	return 0
}

func (r *reader) number(n *int64) {
	u := r.varint()
	*n = int64(u>>1) ^ -int64(u&1)
}

func (r *reader) count(int) int {
	n := r.varint()
	if n > uint64(len(r.rest)) {
		r.damaged = true
		return 0
	}
	return int(n)
}

func (r *reader) text(s *string) { *s = r.take(r.count(0)) }

func (r *reader) share(x *float64) {
	if *x = 0; r.take(1) != "\x01" {
		return
	}
	if b := r.take(8); len(b) == 8 {
		*x = math.Float64frombits(binary.LittleEndian.Uint64(slices.Clip([]byte(b))))
	}
}
