package scan

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"agentflow/gitwatch/internal/gitindex"
	"agentflow/internal/safefile"
)

// fileKind is the kind of a name in the work tree.
type fileKind uint8

const (
	kindOther fileKind = iota // pipes, sockets, devices: git does not keep them
	kindFile
	kindLink
	kindFolder
)

// Stat is the part of lstat's result that git keeps. The zero value is a name that does not exist.
type Stat struct {
	there        bool
	kind         fileKind
	exec         bool // its owner may execute it
	size         int64
	mtime, ctime gitindex.Stamp // no ctime if the system has none
	dev, ino     uint64
}

func statOf(info os.FileInfo) Stat {
	mtime := info.ModTime()
	st := Stat{
		there: true, kind: kindOf(info.Mode()), exec: info.Mode()&0o100 != 0,
		size: info.Size(), mtime: gitindex.Stamp{Sec: mtime.Unix(), Nsec: int64(mtime.Nanosecond())},
	}
	st.identify(info)
	return st
}

// statPath examines a path without following a link at its end.
func statPath(path string) (Stat, error) {
	info, err := os.Lstat(path)
	switch {
	case safefile.IsAbsent(err):
		return Stat{}, nil
	case err != nil:
		return Stat{}, err
	}
	return statOf(info), nil
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

// clockGranule covers the coarsest clock of a file system, including FAT's two seconds.
const clockGranule = 2 * time.Second

// settled reports whether a stat proves that nothing read after the given time has changed: a
// change would have given it a later ctime. Without a ctime nothing is proved, because an mtime can
// be set to any value.
func (s Stat) settled(at time.Time) bool {
	return s.ctime != gitindex.Stamp{} && max(s.ctime.Nanos(), s.mtime.Nanos()) < at.Add(-clockGranule).UnixNano()
}

// realDirs knows which folders of the work tree are folders and not links. A file behind a linked
// folder is not the tracked file of that path.
type realDirs struct {
	top     string
	mu      sync.RWMutex
	checked map[string]bool
}

func newRealDirs(top string) *realDirs {
	return &realDirs{top: top, checked: map[string]bool{"": true}}
}

// parentsAreReal reports whether all parents of path are real folders.
func (d *realDirs) parentsAreReal(path string) (bool, error) {
	return d.isReal(path[:max(strings.LastIndexByte(path, '/'), 0)])
}

func (d *realDirs) isReal(path string) (bool, error) {
	d.mu.RLock()
	real, known := d.checked[path]
	d.mu.RUnlock()
	if known {
		return real, nil
	}
	real, err := d.parentsAreReal(path)
	if err == nil && real {
		var st Stat
		st, err = statPath(filepath.Join(d.top, filepath.FromSlash(path)))
		real = st.kind == kindFolder
	}
	if err != nil {
		return false, err
	}
	d.mu.Lock()
	d.checked[path] = real
	d.mu.Unlock()
	return real, nil
}
