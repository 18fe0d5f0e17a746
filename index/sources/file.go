package sources

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"

	"agentflow/internal/repofile"
)

// File is one file of a listing.
type File struct {
	Name     string // prefix and path below it
	Dir      string // the folder it is in
	Included bool   // its source's
	Author   string // its source's
	Size     int64
	Sig      []byte // changes with the contents; empty when too fresh to tell
	depth    int    // how many folders Name goes through
	err      error  // of looking at it
	moved    bool   // see Moved
}

func (f *File) base() string { return f.Name[strings.LastIndexByte(f.Name, '/')+1:] }

// most is the size from which a file is passed over, in bytes.
func (f *File) limit() int64 {
	if strings.HasPrefix(f.Name, untrustedMark) {
		return maxUntrusted
	}
	return MaxFile
}

func (f *File) Path() string { return filepath.Join(f.Dir, f.base()) }

// Read returns the file's contents: of one that has grown since it was listed,
// no more than the limit.
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

// Moved says that the repository brought the file since it was listed, or that somebody accepted
// it: what it says now is another file's to the index. Of a located file alone.
func (f *File) Moved() bool { return f.moved }

// ReadAt returns size bytes from an offset on. A file that ends before that is an error.
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

func (f *File) open() (*os.File, error) { return repofile.Open(f.Path(), repofile.NoLink) }

// Locate is the file of some sources that was listed by a name; ok is false when none
// of them has such names. It opens nothing: size and signature are not known.
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
