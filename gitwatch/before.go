package gitwatch

import (
	"archive/zip"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// Limits on what is kept of dirty files: one file, all of them, in bytes.
const (
	maxKept    = 1 << 20
	maxKeptAll = 64 << 20
)

// beforeFile is the archive, in a run's folder, in which contents of the
// start are kept, each under its id. One file is written twenty times as fast
// as thousands.
const beforeFile = "before.zip"

// beforeWriter keeps contents. It makes its file with the first of them. It
// is safe for concurrent use; a nil one keeps nothing.
type beforeWriter struct {
	path string

	mu      sync.Mutex
	file    *os.File
	archive *zip.Writer
	has     map[string]bool
	total   int
	err     error
}

func newBefore(dir string) *beforeWriter {
	return &beforeWriter{path: filepath.Join(dir, beforeFile), has: map[string]bool{}}
}

// put keeps contents under their id, if they are not too large.
func (b *beforeWriter) put(id string, content []byte) {
	if b == nil || len(content) > maxKept {
		return
	}
	size := uint64(len(content))
	header := zip.FileHeader{Name: id, Method: zip.Store, CRC32: crc32.ChecksumIEEE(content), CompressedSize64: size, UncompressedSize64: size}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.err != nil || b.has[id] || b.total+len(content) > maxKeptAll {
		return
	}
	b.err = b.write(&header, content)
	b.has[id] = true
	b.total += len(content)
}

func (b *beforeWriter) write(header *zip.FileHeader, content []byte) (err error) {
	if b.file == nil {
		if b.file, err = os.OpenFile(b.path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600); err != nil {
			return err
		}
		b.archive = zip.NewWriter(b.file)
	}
	w, err := b.archive.CreateRaw(header)
	if err == nil {
		_, err = w.Write(content)
	}
	return err
}

// wants says whether contents of that size could be kept and are not yet.
func (b *beforeWriter) wants(id string, size int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err == nil && !b.has[id] && size <= maxKept && int64(b.total)+size <= maxKeptAll
}

// close ends the archive.
func (b *beforeWriter) close() error {
	if b.file == nil && b.err == nil {
		return nil
	}
	if b.file != nil {
		b.err = errors.Join(b.err, b.archive.Close(), b.file.Close())
	}
	if b.err != nil {
		return fmt.Errorf("keep contents: %w", b.err)
	}
	return nil
}

// beforeReader finds what was kept at the start of a run. It is not for
// concurrent use.
type beforeReader struct {
	path    string
	archive *zip.ReadCloser
	err     error // of opening it
}

// get returns the contents kept under an id.
func (b *beforeReader) get(id string) ([]byte, error) {
	if b.archive == nil && b.err == nil {
		b.archive, b.err = zip.OpenReader(b.path)
	}
	if b.err != nil {
		return nil, b.err
	}
	f, err := b.archive.Open(id)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(f)
	return content, errors.Join(err, f.Close())
}

func (b *beforeReader) close() {
	if b.archive != nil {
		_ = b.archive.Close()
	}
}
