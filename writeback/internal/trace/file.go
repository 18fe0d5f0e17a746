package trace

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"agentflow/internal/atomicfile"
	"agentflow/internal/safefile"
	"agentflow/writeback/internal/journal"
)

// span is the place of a line in a file.
type span struct {
	at   int64
	size int
}

// window limits the part of a file searched at once, in bytes.
const window = 1 << 20

// spans finds the lines in the data of r.
func (q Quote) spans(r io.Reader) (found []span, err error) {
	overlap := 0 // a line that begins in the last bytes of a window is searched for in the next
	for _, p := range q.parts {
		overlap = max(overlap, len(p.whole)+longestMark)
	}
	buf := make([]byte, 0, window+overlap)
	for base := int64(0); ; {
		n, err := io.ReadFull(r, buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		whole := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		until := len(buf)
		if !whole {
			until -= overlap
		}
		for _, p := range q.parts {
			for at, size := p.next(buf, 0); size > 0 && at < until; at, size = p.next(buf, at+size) {
				found = append(found, span{base + int64(at), size})
			}
		}
		if whole {
			return found, nil
		}
		if err != nil {
			return found, err
		}
		base += int64(until)
		buf = buf[:copy(buf, buf[until:])]
	}
}

// InFile reports whether a file holds any of the lines. It follows no link.
func (q Quote) InFile(path string) (bool, error) {
	found, err := q.inFile(path)
	return len(found) > 0, err
}

func (q Quote) inFile(path string) ([]span, error) {
	f, err := safefile.Open(path, safefile.NoLink)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return q.spans(f)
}

// quotes reports whether cleanFile would change a file.
func (q Quote) quotes(path string) (bool, error) {
	if strings.HasSuffix(path, ".zip") {
		if _, quoting, err := q.sift(path); !errors.Is(err, zip.ErrFormat) {
			return quoting, err
		}
	}
	return q.InFile(path)
}

// cleanFile removes the lines from a file, and reports whether it held one.
func (q Quote) cleanFile(sys journal.System, path string) (changed bool, err error) {
	if strings.HasSuffix(path, ".zip") {
		if changed, err = q.cleanZip(sys, path); !errors.Is(err, zip.ErrFormat) {
			return changed, err
		}
	}
	return q.mask(sys, path)
}

// mask overwrites the lines in a file with asterisks of the same length.
func (q Quote) mask(sys journal.System, path string) (changed bool, err error) {
	found, err := q.inFile(path)
	if err != nil || len(found) == 0 {
		return false, err
	}
	f, err := sys.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return false, err
	}
	defer f.Close()
	for _, s := range found {
		if _, err := f.WriteAt(bytes.Repeat([]byte{'*'}, s.size), s.at); err != nil {
			return true, err
		}
	}
	return true, f.Sync()
}

// cleanZip rewrites an archive without the members that hold a line. It does not mask them: readers
// of an archive accept that the contents of a file are missing, but would put masked contents into
// the user's files.
func (q Quote) cleanZip(sys journal.System, path string) (changed bool, err error) {
	rest, quoting, err := q.sift(path)
	if err != nil || !quoting {
		return false, err
	}
	return true, atomicfile.WriteTo(sys, path, rest, 0o600)
}

// sift returns an archive without the members that hold a line, and reports whether any does.
func (q Quote) sift(path string) (rest []byte, quoting bool, err error) {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return nil, false, err
	}
	archive, err := zip.OpenReader(path)
	if err != nil {
		return nil, false, err
	}
	defer archive.Close()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, member := range archive.File {
		quotes, err := q.inMember(member)
		if err == nil && !quotes {
			err = w.Copy(member)
		}
		if err != nil {
			return nil, false, fmt.Errorf("%s in %s: %w", member.Name, filepath.Base(path), err)
		}
		quoting = quoting || quotes
	}
	err = w.Close()
	return b.Bytes(), quoting, err
}

func (q Quote) inMember(member *zip.File) (bool, error) {
	r, err := member.Open()
	if err != nil {
		return false, err
	}
	defer r.Close()
	found, err := q.spans(r)
	return len(found) > 0 || q.In([]byte(member.Name)), err
}
