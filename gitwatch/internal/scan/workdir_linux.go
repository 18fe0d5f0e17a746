package scan

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"agentflow/gitwatch/internal/git"
	"agentflow/gitwatch/internal/gitindex"

	"golang.org/x/sys/unix"
)

// workHandle holds the top of the work tree open.
type workHandle struct{ top int }

// dirHandle is a folder's descriptor, or -1 if the folder is examined by path.
type dirHandle struct{ fd int }

var noHandle = dirHandle{-1}

func (w *workDir) begin() error {
	fd, err := unix.Open(w.root, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: w.root, Err: err}
	}
	w.top = fd
	return nil
}

func (w *workDir) end() { _ = unix.Close(w.top) }

// open opens a folder of the work tree, "" or ending in '/', without following links on the way.
// The error is errNoFolder if there is no folder.
func (w *workDir) open(folder string) (*openDir, error) {
	name := folder
	if name == "" {
		name = "."
	}
	how := unix.OpenHow{Flags: unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC | unix.O_NOFOLLOW, Resolve: unix.RESOLVE_NO_SYMLINKS}
	fd, err := unix.Openat2(w.top, name, &how)
	for errors.Is(err, unix.EINTR) || errors.Is(err, unix.EAGAIN) {
		fd, err = unix.Openat2(w.top, name, &how)
	}
	switch {
	case err == nil:
		return &openDir{filepath.Join(w.root, folder), dirHandle{fd}}, nil
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOTDIR), errors.Is(err, unix.ELOOP):
		return nil, errNoFolder
	}
	// An old kernel, a sandbox, or a folder that may be entered but not listed.
	return w.openByPath(folder)
}

// read returns the contents of a file, which may have grown to git.MaxRead bytes. With the size
// from its stat, most files take one call. It resolves only the path in the work tree, and follows
// no link at its end.
func (w *workDir) read(path string, size int64) ([]byte, error) {
	fd, err := uninterrupted(func() (int, error) {
		return unix.Openat(w.top, path, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	})
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	content := make([]byte, 0, min(size, git.MaxRead)+1)
	for len(content) <= git.MaxRead {
		n, err := uninterrupted(func() (int, error) { return unix.Read(fd, content[len(content):cap(content)]) })
		if err != nil {
			return nil, &os.PathError{Op: "read", Path: path, Err: err}
		}
		content = content[:len(content)+n]
		if n == 0 || int64(len(content)) == size {
			return content, nil
		}
		content = slices.Grow(content, 1)
	}
	return nil, git.ErrTooLarge
}

// uninterrupted repeats a call that a signal interrupted.
func uninterrupted(do func() (int, error)) (int, error) {
	for {
		if n, err := do(); !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}

func (d *openDir) close() {
	if d.fd >= 0 {
		_ = unix.Close(d.fd)
	}
}

// stat examines a name in the folder, or with "" the folder itself, without following a link.
func (d *openDir) stat(name string) (Stat, error) {
	if d.fd < 0 {
		return d.statByPath(name)
	}
	var st unix.Stat_t
	flags := unix.AT_SYMLINK_NOFOLLOW
	if name == "" {
		flags |= unix.AT_EMPTY_PATH
	}
	err := unix.Fstatat(d.fd, name, &st, flags)
	for errors.Is(err, unix.EINTR) {
		err = unix.Fstatat(d.fd, name, &st, flags)
	}
	switch {
	case errors.Is(err, unix.ENOENT):
		return Stat{}, nil
	case err != nil:
		return Stat{}, &os.PathError{Op: "lstat", Path: name, Err: err}
	}
	return Stat{
		there: true, kind: kinds[st.Mode&unix.S_IFMT>>12], exec: st.Mode&unix.S_IXUSR != 0, size: st.Size,
		mtime: gitindex.Stamp{Sec: int64(st.Mtim.Sec), Nsec: int64(st.Mtim.Nsec)}, //nolint:unconvert // its width differs by architecture
		ctime: gitindex.Stamp{Sec: int64(st.Ctim.Sec), Nsec: int64(st.Ctim.Nsec)}, //nolint:unconvert // its width differs by architecture
		dev:   uint64(st.Dev), ino: st.Ino,                                        //nolint:unconvert // its width differs by architecture
	}, nil
}

// kinds maps a mode's upper bits, a directory entry's type, to kinds.
var kinds = [16]fileKind{unix.DT_REG: kindFile, unix.DT_LNK: kindLink, unix.DT_DIR: kindFolder}

// listBuffers saves a buffer for every folder.
var listBuffers = sync.Pool{New: func() any { return new([32 << 10]byte) }}

// list calls each for every name in the folder, in no order.
func (d *openDir) list(each func(dirName)) error {
	if d.fd < 0 {
		return d.listByPath(each)
	}
	buf := listBuffers.Get().(*[32 << 10]byte)
	defer listBuffers.Put(buf)
	for {
		n, err := unix.Getdents(d.fd, buf[:])
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return &os.PathError{Op: "readdir", Path: d.path, Err: err}
		case n <= 0:
			return nil
		}
		for b := buf[:n]; len(b) > 0; {
			size := binary.NativeEndian.Uint16(b[16:]) // ino, off, reclen, type, name
			if err := d.listed(b[18], b[19:size], each); err != nil {
				return err
			}
			b = b[size:]
		}
	}
}

func (d *openDir) listed(kind byte, name []byte, each func(dirName)) error {
	name = name[:bytes.IndexByte(name, 0)]
	if string(name) == "." || string(name) == ".." {
		return nil
	}
	n := dirName{name, kinds[kind&15]}
	if kind == unix.DT_UNKNOWN {
		st, err := d.stat(string(name))
		if err != nil || !st.there {
			return err
		}
		n.kind = st.kind
	}
	each(n)
	return nil
}
