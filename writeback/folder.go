package writeback

import (
	"encoding/binary"
	"hash/fnv"
)

// bornAs is one number for an inode and the time at which its file was made;
// never 0, which says that nothing is known.
func bornAs(inode uint64, sec, nsec int64) uint64 {
	h := fnv.New64a()
	for _, n := range []uint64{inode, uint64(sec), uint64(nsec)} {
		_, _ = h.Write(binary.BigEndian.AppendUint64(nil, n)) // a hash takes everything
	}
	return max(h.Sum64(), 1)
}

// dirChanged says whether the memory folder is another one than was seen, or
// gone.
func dirChanged(known *seen, dir string) bool {
	now, err := folderID(dir)
	return known.dir != 0 && (err != nil || now != known.dir)
}

// seeFolder takes the memory folder as it is for the one that was seen, once
// all of its files were settled: a copied repository has another one.
func (w *writer) seeFolder() {
	now, err := folderID(w.Memory)
	if err != nil || w.seen.dir != 0 && !w.scanned {
		return
	}
	if now != w.seen.dir {
		w.seen.dir, w.dirty = now, true
	}
}
