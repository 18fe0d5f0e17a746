package sources

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"

	"agentflow/internal/safefile"
)

// File is one file of a listing.
type File struct {
	Name     string // prefix and the path below the source
	Dir      string // the folder it is in
	Included bool   // as in its source
	Author   string // as in its source
	Size     int64
	Sig      []byte // changes with the contents; empty if the file changed too recently
	depth    int    // number of folders in Name
	err      error  // of the lstat
	moved    bool   // see Moved
}

func (f *File) base() string { return f.Name[strings.LastIndexByte(f.Name, '/')+1:] }

// limit returns the maximum size of the file in bytes. Larger files are
// skipped.
func (f *File) limit() int64 {
	if strings.HasPrefix(f.Name, untrustedMark) {
		return maxUntrusted
	}
	return MaxFile
}

func (f *File) Path() string { return filepath.Join(f.Dir, f.base()) }

// Read returns the file's contents, at most as much as the limit if the file
// has grown since it was listed.
func (f *File) Read() ([]byte, error) {
	src, err := f.open()
	if err != nil {
		return nil, err
	}
	defer src.Close()
	var b bytes.Buffer
	b.Grow(int(min(f.Size, f.limit())) + bytes.MinRead)
	_, err = b.ReadFrom(io.LimitReader(src, f.limit()))
	return b.Bytes(), err
}

// Moved reports whether the file came with the repository since it was listed,
// or was accepted since: for the index it is then another file. It is set only
// by Locate.
func (f *File) Moved() bool { return f.moved }

// ReadAt returns size bytes from offset on. It is an error if the file ends
// earlier.
func (f *File) ReadAt(offset int64, size int) (string, error) {
	if offset < 0 || size < 0 || int64(size) > f.limit() {
		return "", io.ErrUnexpectedEOF
	}
	src, err := f.open()
	if err != nil {
		return "", err
	}
	defer src.Close()
	b := make([]byte, size)
	if _, err := src.ReadAt(b, offset); err != nil {
		return "", err
	}
	return string(b), nil
}

func (f *File) open() (*os.File, error) { return safefile.Open(f.Path(), safefile.NoLink) }

// Locate returns the file with a listed name; ok is false if no source has such
// names. It opens no file, so size and signature are not set.
func Locate(list []Source, name string) (f File, ok bool) {
	rel, untrusted := CutUntrusted(name)
	var of *Source
	for i := range list {
		if of == nil || len(list[i].Prefix) > len(of.Prefix) {
			if strings.HasPrefix(rel, list[i].Prefix) {
				of = &list[i]
			}
		}
	}
	if of == nil || of.Dir == "" {
		return File{}, false
	}
	rel = strings.TrimPrefix(strings.TrimPrefix(rel, of.Prefix), "./")
	path := filepath.FromSlash(rel)
	if !filepath.IsLocal(path) {
		return File{}, false
	}
	brought := of.Untrusted != nil && of.Untrusted(rel)
	return File{Name: name, Dir: filepath.Dir(filepath.Join(of.Dir, path)), Included: of.Included || untrusted, Author: of.Author, moved: brought != untrusted}, true
}
