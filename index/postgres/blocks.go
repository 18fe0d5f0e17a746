package postgres

import (
	"math"
	"slices"
)

// changedBlocks returns the blocks before until in which rows were added or
// removed, in order.
func changedBlocks[A, R any](added map[int64]A, removed map[int64]R, until int64) (list []int64) {
	for at := range added {
		list = append(list, at)
	}
	for at := range removed {
		list = append(list, at)
	}
	list = slices.DeleteFunc(list, func(at int64) bool { return at >= until })
	slices.Sort(list)
	return slices.Compact(list)
}

// until returns the first block, of size chunks each, that is not written now.
// While fresh tables are filled and all is false, that is the block of the next
// chunk.
func (u *update) until(size int64, all bool) int64 {
	if all || !u.fresh {
		return math.MaxInt64
	}
	return u.m.number(u.m.lastChunk+1) / size
}

// eachBlock reads blocks into a map.
func (u *update) eachBlock(into map[int64][]byte, query string, args ...any) {
	u.each(func(scan func(...any) error) error {
		var at int64
		var data []byte
		err := scan(&at, &data)
		into[at] = data
		return err
	}, query, args...)
}
