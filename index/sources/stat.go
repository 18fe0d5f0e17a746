package sources

import (
	"encoding/binary"
	"os"
	"sync"
	"time"
)

// statHalves stats the files of an open folder on two goroutines: this takes
// most of the time of a sync without changes.
func statHalves(dir *os.File, files []File, now time.Time) {
	half := len(files) / 2
	var wg sync.WaitGroup
	wg.Go(func() { statAll(dir, files[:half], now) })
	statAll(dir, files[half:], now)
	wg.Wait()
}

func statAll(dir *os.File, files []File, now time.Time) {
	sigs := make([]byte, 0, len(files)*sigSize)
	for i := range files {
		f := &files[i]
		s, err := statIn(dir, f.base())
		if err != nil {
			f.err = err
			continue
		}
		f.Size = s.size
		if now.Sub(s.changed) >= fresh {
			from := len(sigs)
			sigs = s.append(sigs)
			f.Sig = sigs[from:len(sigs):len(sigs)]
		}
	}
}

// signature distinguishes two states of a file without reading it: size,
// modification time and, where available, the time of any change and the inode.
// An editor that keeps size and modification time still changes one of the
// others.
type signature struct {
	size, modified    int64 // bytes, Unix nanoseconds
	changedNano, node uint64
	changed           time.Time // the later of both times
}

const sigSize = 32

func (s *signature) append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(s.size))
	b = binary.LittleEndian.AppendUint64(b, uint64(s.modified))
	b = binary.LittleEndian.AppendUint64(b, s.changedNano)
	return binary.LittleEndian.AppendUint64(b, s.node)
}
