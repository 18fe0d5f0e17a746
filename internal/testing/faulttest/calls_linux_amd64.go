package faulttest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Call is a system call that could change a file.
type Call struct {
	Name    string // "openat"
	Path    string // the absolute path that it changes, of two paths the last; empty if unknown
	Program string // path of the calling program
	pid     uint32
	args    [6]uint64
}

// String names the call and its file.
func (c Call) String() string { return c.Name + " " + c.Path }

// shape describes where a call has its file: path is the argument with a path
// and dir the one with the folder that it is relative to, or fd is the argument
// with an open file. -1 means none.
type shape struct {
	name          string
	path, dir, fd int
	flags         int // the argument with flags of open
}

func onPath(name string, path int) shape        { return shape{name, path, -1, -1, -1} }
func onPathAt(name string, dir, path int) shape { return shape{name, path, dir, -1, -1} }
func onFile(name string) shape                  { return shape{name, -1, -1, 0, -1} }

// shapes lists the calls that are passed to the test.
var shapes = map[int32]shape{
	unix.SYS_OPEN: {"open", 0, -1, -1, 1}, unix.SYS_OPENAT: {"openat", 1, 0, -1, 2}, unix.SYS_CREAT: onPath("creat", 0),
	unix.SYS_WRITE: onFile("write"), unix.SYS_WRITEV: onFile("writev"), unix.SYS_PWRITE64: onFile("pwrite"), unix.SYS_PWRITEV: onFile("pwritev"),
	unix.SYS_PWRITEV2: onFile("pwritev2"), unix.SYS_COPY_FILE_RANGE: {"copy_file_range", -1, -1, 2, -1}, unix.SYS_SENDFILE: onFile("sendfile"),
	unix.SYS_FSYNC: onFile("fsync"), unix.SYS_FDATASYNC: onFile("fdatasync"), unix.SYS_SYNC_FILE_RANGE: onFile("sync_file_range"),
	unix.SYS_FTRUNCATE: onFile("ftruncate"), unix.SYS_TRUNCATE: onPath("truncate", 0), unix.SYS_FALLOCATE: onFile("fallocate"),
	unix.SYS_RENAME: onPath("rename", 1), unix.SYS_RENAMEAT: onPathAt("renameat", 2, 3), unix.SYS_RENAMEAT2: onPathAt("renameat2", 2, 3),
	unix.SYS_LINK: onPath("link", 1), unix.SYS_LINKAT: onPathAt("linkat", 2, 3), unix.SYS_SYMLINK: onPath("symlink", 1), unix.SYS_SYMLINKAT: onPathAt("symlinkat", 1, 2),
	unix.SYS_UNLINK: onPath("unlink", 0), unix.SYS_UNLINKAT: onPathAt("unlinkat", 0, 1), unix.SYS_RMDIR: onPath("rmdir", 0),
	unix.SYS_MKDIR: onPath("mkdir", 0), unix.SYS_MKDIRAT: onPathAt("mkdirat", 0, 1),
	unix.SYS_CHMOD: onPath("chmod", 0), unix.SYS_FCHMOD: onFile("fchmod"), unix.SYS_FCHMODAT: onPathAt("fchmodat", 0, 1),
	unix.SYS_UTIMENSAT: onPathAt("utimensat", 0, 1),
}

// callOf reads a call from the process that waits for the answer.
func callOf(n *notification) Call {
	c := Call{pid: n.pid, args: n.args}
	s, ok := shapes[n.number]
	if !ok {
		c.Name = fmt.Sprint(n.number)
		return c
	}
	c.Name = s.name
	c.Program, _ = os.Readlink(c.proc("exe"))
	if s.fd >= 0 {
		c.Path = c.open(int32(n.args[s.fd]))
		return c
	}
	c.Path = c.text(n.args[s.path])
	switch {
	case filepath.IsAbs(c.Path):
	case s.dir >= 0 && int32(n.args[s.dir]) != unix.AT_FDCWD:
		c.Path = filepath.Join(c.open(int32(n.args[s.dir])), c.Path)
	default:
		cwd, _ := os.Readlink(c.proc("cwd"))
		c.Path = filepath.Join(cwd, c.Path)
	}
	return c
}

func (c Call) proc(name string) string { return fmt.Sprintf("/proc/%d/%s", c.pid, name) }

func (c Call) open(fd int32) string {
	path, _ := os.Readlink(c.proc(fmt.Sprint("fd/", fd)))
	return path
}

// text returns the string at an address in the process.
func (c Call) text(at uint64) string {
	mem, err := os.Open(c.proc("mem"))
	if err != nil {
		return ""
	}
	defer mem.Close()
	buf := make([]byte, unix.PathMax)
	n, _ := mem.ReadAt(buf, int64(at)) // the readable memory may end before the buffer does
	text, _, _ := bytes.Cut(buf[:n], []byte{0})
	return string(text)
}
