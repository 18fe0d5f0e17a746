package edits

import (
	"archive/zip"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"sync"

	"agentflow/gitwatch/internal/git"
)

// Limits on the contents that are copied: one file, all of them, in bytes.
const (
	MaxCopy   = 1 << 20
	maxCopies = 64 << 20
)

// ErrNotKept means that there is no copy of the contents.
var ErrNotKept = errors.New("its contents were not kept: they are large, or hold a secret")

// Copies keeps contents in one file, each under its id, because writing one file is twenty times as
// fast as writing thousands. The file is created with the first contents. Copies is safe for
// concurrent use. A nil Copies keeps nothing.
type Copies struct {
	path string

	mu    sync.Mutex
	file  *os.File
	zip   *zip.Writer
	has   map[string]bool
	total int
	err   error
}

// NewCopies returns Copies in the file at path. It replaces an existing file.
func NewCopies(path string) *Copies { return &Copies{path: path, has: map[string]bool{}} }

// Keep copies contents that are not kept yet. The error is ErrNotKept if there are too many.
func (c *Copies) Keep(id string, content []byte) error {
	if c == nil {
		return ErrNotKept
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.err != nil || c.has[id]:
		return c.err
	case len(content) > MaxCopy || c.total+len(content) > maxCopies:
		return ErrNotKept
	}
	c.err = c.write(id, content)
	c.has[id] = true
	c.total += len(content)
	return c.err
}

func (c *Copies) write(name string, content []byte) (err error) {
	if c.file == nil {
		if c.file, err = os.OpenFile(c.path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600); err != nil {
			return err
		}
		c.zip = zip.NewWriter(c.file)
	}
	size := uint64(len(content))
	header := zip.FileHeader{Name: name, Method: zip.Store, CRC32: crc32.ChecksumIEEE(content), CompressedSize64: size, UncompressedSize64: size}
	w, err := c.zip.CreateRaw(&header)
	if err == nil {
		_, err = w.Write(content)
	}
	return err
}

// Wants reports whether contents of that size could be kept and are not yet.
func (c *Copies) Wants(id string, size int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err == nil && !c.has[id] && size <= MaxCopy && int64(c.total)+size <= maxCopies
}

// Has reports whether contents are kept.
func (c *Copies) Has(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err == nil && c.has[id]
}

// Close closes the file.
func (c *Copies) Close() error {
	if c.file != nil {
		c.err = errors.Join(c.err, c.zip.Close(), c.file.Close())
	}
	if c.err != nil {
		return fmt.Errorf("keep contents: %w", c.err)
	}
	return nil
}

// Archive is a file of Copies, opened for reading. A nil Archive holds nothing.
type Archive struct{ zip *zip.ReadCloser }

// OpenArchive opens the archive of the run with the folder dir. Errors are those of
// Load.
func OpenArchive(dir string) (*Archive, error) {
	a, err := OpenCopies(filepath.Join(dir, fileName))
	if err != nil {
		return nil, fmt.Errorf("read what the run in %s changed: %w", dir, err)
	}
	return a, nil
}

// OpenCopies opens a file of Copies.
func OpenCopies(path string) (*Archive, error) {
	archive, err := zip.OpenReader(path)
	if err != nil {
		return nil, err
	}
	return &Archive{archive}, nil
}

// Close closes the archive.
func (a *Archive) Close() error {
	if a == nil {
		return nil
	}
	return a.zip.Close()
}

// Get returns the contents that were kept under an id.
func (a *Archive) Get(id string) ([]byte, error) {
	if a == nil || id == "" {
		return nil, ErrNotKept
	}
	f, err := a.zip.Open(id)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// Contents returns the bytes of f on disk, from its copy.
func (a *Archive) Contents(f File) ([]byte, error) {
	data, err := a.Get(f.Kept)
	if err == nil && !git.IsBlob(data, f.Kept) {
		err = errors.New("the copy of its contents is damaged")
	}
	return data, err
}
