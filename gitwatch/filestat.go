package gitwatch

import (
	"os"
	"time"
)

// fileKind is what a name of the work tree stands for.
type fileKind uint8

const (
	kindOther fileKind = iota // pipes, sockets, devices: git does not keep them
	kindFile
	kindLink
	kindFolder
)

// stamp is a point in time as file systems and the index keep it. The zero
// stamp is none.
type stamp struct{ sec, nsec int64 }

func (s stamp) nanos() int64 { return s.sec*int64(time.Second) + s.nsec }

// fileStat is what lstat says of a name, as far as git keeps it. The zero
// value is a name that is not there.
type fileStat struct {
	there        bool
	kind         fileKind
	exec         bool // its owner may execute it
	size         int64
	mtime, ctime stamp // no ctime where the system has none
	dev, ino     uint64
}

// statOf turns what package os says into a fileStat.
func statOf(info os.FileInfo) fileStat {
	mtime := info.ModTime()
	st := fileStat{
		there: true, kind: kindOf(info.Mode()), exec: info.Mode()&0o100 != 0,
		size: info.Size(), mtime: stamp{mtime.Unix(), int64(mtime.Nanosecond())},
	}
	st.identify(info)
	return st
}

func kindOf(mode os.FileMode) fileKind {
	switch mode.Type() {
	case 0:
		return kindFile
	case os.ModeSymlink:
		return kindLink
	case os.ModeDir:
		return kindFolder
	}
	return kindOther
}

// granule is how coarse the clock of a file system may be, FAT's two seconds
// included.
const granule = 2 * time.Second

// settled says whether a stat vouches for what was read after the given time:
// a change since then would have given it a later ctime. Where there is no
// ctime nothing vouches, for an mtime can be set to any value.
func (s fileStat) settled(at time.Time) bool {
	return s.ctime != stamp{} && max(s.ctime.nanos(), s.mtime.nanos()) < at.Add(-granule).UnixNano()
}
