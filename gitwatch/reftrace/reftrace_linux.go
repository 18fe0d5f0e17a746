package reftrace

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const noFollow = unix.O_NOFOLLOW | unix.O_NONBLOCK

// onDisk returns the disk space of a file, in bytes.
func onDisk(info fs.FileInfo) int64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Blocks * 512
	}
	return info.Size()
}

// extents returns the pieces of a part of a file that were not freed.
func extents(f *os.File, from, to int64) (list []span) {
	fd := int(f.Fd())
	for from < to {
		begin, err := unix.Seek(fd, from, unix.SEEK_DATA)
		if err == unix.ENXIO { // only a hole is left
			return list
		}
		end := to
		if err == nil {
			end, err = unix.Seek(fd, begin, unix.SEEK_HOLE)
		}
		if err != nil {
			return append(list, span{from, to})
		}
		if begin < to {
			list = append(list, span{begin, min(end, to)})
		}
		from = end
	}
	return list
}

// punch frees the whole blocks within a part of a file. Git appends after that part.
func punch(f *os.File, part span) error {
	from, size := blocks(part)
	if size <= 0 {
		return nil
	}
	return unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, from, size)
}

// collapse removes the whole blocks within a part of a file, if its file system supports it.
func collapse(f *os.File, part span) bool {
	from, size := blocks(part)
	return size <= 0 || unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_COLLAPSE_RANGE, from, size) == nil
}
