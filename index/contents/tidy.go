package contents

import (
	"context"
	"maps"
	"math/bits"
	"slices"
)

// Pieces are merged so that a search reads few of them and each stem is
// rewritten only a few times. Each size class has fewer than perClass pieces,
// except for full pieces, which make up most of the file. A class is four times
// as large as the class before.
const (
	perClass  = 4
	pieceFull = 1 << 18 // a weight; a transaction writes at most four times as much
)

func class(weight int) int { return (bits.Len(uint(weight)) - 1) / 2 } //nolint:gosec // a count

func (p *stored) weight() int { return weight(p.files, p.held) }

// deadWeight returns how much of a piece's size belongs to dead files.
func (p *stored) deadWeight() int {
	held := 0
	for _, f := range p.names {
		held += f.held
	}
	return weight(len(p.names), held) - p.weight()
}

// tidy merges pieces until there are few, or until stop returns true after a
// step.
func (w *writer) tidy(ctx context.Context, stop func() bool) error {
	for group := w.group(); group != nil; group = w.group() {
		if err := w.join(ctx, group); err != nil || stop() {
			return err
		}
	}
	return nil
}

// group returns pieces to merge, or nil if there is nothing to do.
func (w *writer) group() []*stored {
	classes := map[int][]*stored{}
	for _, id := range slices.Sorted(maps.Keys(w.pieces)) {
		p := w.pieces[id]
		if p.deadWeight() > p.weight() {
			return []*stored{p}
		}
		if p.weight() >= pieceFull {
			continue
		}
		c := class(p.weight())
		if classes[c] = append(classes[c], p); len(classes[c]) == perClass {
			return classes[c]
		}
	}
	return nil
}

// join merges pieces in one transaction.
func (w *writer) join(ctx context.Context, group []*stored) error {
	return w.transaction(ctx, func() error {
		pieces, dead := make([]*piece, len(group)), make([]bitmap, len(group))
		for i, s := range group {
			p, err := w.read(ctx, s)
			if err != nil {
				return err
			}
			pieces[i], dead[i] = p, s.dead
		}
		for _, s := range group {
			if err := w.remove(ctx, s); err != nil {
				return err
			}
		}
		return w.insert(ctx, join(pieces, dead))
	})
}

// read reads a stored piece with its marks.
func (w *writer) read(ctx context.Context, s *stored) (*piece, error) {
	p := &piece{files: s.names}
	err := blobs(ctx, w.c, "buckets", s.bucketIDs(), func(_ int64, data []byte) (err error) {
		p.marks, err = marksOf(p.marks, data, len(p.files))
		return err
	})
	return p, err
}
