package sqlite

import (
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"sort"

	"agentflow/index/stems"
)

// counts collects in memory how many more chunks hold each stem.
type counts map[uint32]int64

// count adds a chunk (by is 1) or removes it (-1).
func (w *writer) count(terms []byte, by int64) {
	w.chunks += by
	for h := range stems.All(terms) {
		w.df[h] += by
	}
}

func (w *writer) writeCounts() {
	hashes := slices.Sorted(maps.Keys(w.df))
	for len(hashes) > 0 && w.err == nil {
		id := stems.BucketOf(hashes[0])
		end := sort.Search(len(hashes), func(i int) bool { return stems.BucketOf(hashes[i]) > id })
		w.addToBucket(id, hashes[:end])
		hashes = hashes[end:]
	}
	clear(w.df)
}

func (w *writer) addToBucket(id uint32, hashes []uint32) {
	var old stems.Bucket
	w.row([]any{(*[]byte)(&old)}, `SELECT counts FROM df WHERE bucket=?`, id)
	if err := checkBucket(old); err != nil {
		w.Fail(fmt.Errorf("counting terms: %w", err))
		return
	}
	if now := old.Plus(hashes, w.df); len(now) > 0 {
		w.exec(`INSERT INTO df VALUES(?,?) ON CONFLICT(bucket) DO UPDATE SET counts=excluded.counts`, id, []byte(now))
	} else {
		w.exec(`DELETE FROM df WHERE bucket=?`, id)
	}
}

func checkBucket(b stems.Bucket) error {
	if err := b.Check(); err != nil {
		return damaged(err)
	}
	return nil
}

// Count sets how many chunks hold each stem.
func (v *view) Count(numbers map[uint32]int) {
	of := map[uint32][]uint32{}
	for h := range numbers {
		of[stems.BucketOf(h)] = append(of[stems.BucketOf(h)], h)
	}
	v.each(func(scan scan) error {
		var id uint32
		var raw sql.RawBytes
		if err := scan(&id, &raw); err != nil {
			return err
		}
		for _, h := range of[id] {
			numbers[h] = stems.Bucket(raw).Count(h)
		}
		return checkBucket(stems.Bucket(raw))
	}, `SELECT bucket, counts FROM df WHERE bucket IN (`+idList(slices.Collect(maps.Keys(of)))+`)`)
}
