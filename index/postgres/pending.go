package postgres

import (
	"fmt"

	"agentflow/index/quantized"
	"agentflow/index/store"
)

// Complete stores the vector of a chunk, unless the chunk changed meanwhile.
func (u *update) Complete(k store.Waiting) (done bool) {
	m := &u.m.vectors
	if m.Embedder != u.key {
		return false
	}
	if !u.vectors.fits(k.Packed) {
		u.Fail(fmt.Errorf("%w: %d dimensions instead of %d", quantized.ErrVector, quantized.Dimensions(k.Packed), m.Dimensions))
		return false
	}
	var v []byte
	var kept int64
	u.each(func(scan func(...any) error) error {
		done = true
		return scan(&v, &kept)
	}, `WITH waited AS (DELETE FROM `+u.table("pending")+` WHERE index=$1 AND chunk=$2 AND hash=$3 RETURNING chunk),
		made AS (INSERT INTO `+u.table("vectors")+`(index, hash, v) SELECT $1, $3, $4 FROM waited ON CONFLICT DO NOTHING RETURNING 1)
		UPDATE `+u.table("chunks")+` SET hash=$3 WHERE index=$1 AND id IN (SELECT chunk FROM waited)
		RETURNING coalesce((SELECT v FROM `+u.table("vectors")+` WHERE index=$1 AND hash=$3), $4), (SELECT count(*) FROM made)`,
		u.m.id, k.ID, k.Hash, bytesOf(k.Packed))
	if done {
		if m.Cached += kept; m.Dimensions == 0 && len(v) > 0 {
			m.Dimensions = quantized.Dimensions(v)
		}
		u.vectors.place(k.ID, v)
	}
	return done
}

// Refuse records that one of several texts was refused.
func (u *update) Refuse(list []store.Waiting) {
	ids := make([]int64, len(list))
	for i, k := range list {
		ids[i] = k.ID
	}
	u.exec(`UPDATE `+u.table("pending")+` SET refused=refused+1 WHERE index=$1 AND chunk=ANY($2)`, u.m.id, ids)
}
