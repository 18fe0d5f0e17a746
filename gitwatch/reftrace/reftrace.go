// Package reftrace keeps git's trace of references (GIT_TRACE_REFS) small while git writes it. Git
// logs every read: a list of 40,000 branches is 4 MB.
//
// Guarantees: lines about moved references stay, and a trim is safe while git appends. A trace that
// lost such lines has a separate line that says so.
//
// Not guaranteed: on systems other than Linux, and on file systems that cannot free a part of a
// file, a trace that grows beyond Limit loses its contents.
//
// A run trims its trace ten times a second. A session trims it after each turn, and during a
// turn only if the repository has many references, by a separate process. The trace of a session
// keeps its length, because segments remember places in it. Copy, for the folders of runs,
// leaves out the reads.
package reftrace

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

const (
	// Limit bounds the disk space of a trace after a trim, in bytes.
	Limit = 16 << 20
	// step is how much a trace may grow before it is trimmed again, in bytes.
	step = 4 << 20
)

// cutLine marks a trace that lost lines.
const cutLine = "agentflow: this trace was cut\n"

// cutWithin limits the search for cutLine in a trace's beginning, in bytes. It may not
// be the first line, because git may append while a trace is cut.
const cutWithin = 64 << 10

// says reports whether a line is about moved references, or about the beginning or the end of
// moving some.
func says(line []byte) bool {
	for _, part := range []string{" -> ", "transaction_prepare: ", " finish: ", cutLine} {
		if bytes.Contains(line, []byte(part)) {
			return true
		}
	}
	return false
}

// Copy writes the lines of a part of a trace that are about moved references, and its first line,
// which shows that git wrote at all. A copy of a cut trace begins with cutLine.
func Copy(dst io.Writer, f *os.File, from, to int64) error {
	var err error
	write := func(line []byte) {
		if err == nil {
			_, err = dst.Write(line)
		}
	}
	if IsCut(f) {
		write([]byte(cutLine))
	}
	first := true
	_, scanErr := scan(f, from, to, func(line []byte, _ int64) {
		if string(line) == cutLine {
			return
		}
		if first || says(line) {
			write(line)
		}
		first = false
	})
	return errors.Join(err, scanErr)
}

// IsCut reports whether lines were lost from a trace.
func IsCut(f io.ReaderAt) bool {
	head, err := io.ReadAll(io.NewSectionReader(f, 0, cutWithin))
	return err == nil && bytes.Contains(head, []byte(cutLine))
}

// maxLine limits the bytes of a line; a longer one is skipped.
const maxLine = 64 << 10

// scan calls a function for each whole line of a part of a file, with its place. It returns where
// the unfinished line at the end begins.
func scan(f *os.File, from, to int64, do func(line []byte, at int64)) (end int64, err error) {
	end = from
	for _, part := range extents(f, from, to) {
		end = part.from
		r := bufio.NewReaderSize(io.NewSectionReader(f, part.from, part.to-part.from), maxLine)
		for long := false; ; {
			line, err := r.ReadSlice('\n')
			whole := err == nil
			if whole && !long {
				do(line, end)
			}
			if whole || errors.Is(err, bufio.ErrBufferFull) {
				long = !whole
				end += int64(len(line))
				continue
			}
			if errors.Is(err, io.EOF) {
				break
			}
			return end, err
		}
	}
	return end, nil
}

// span is a part of a file.
type span struct{ from, to int64 }

// Trimmer trims one trace repeatedly.
type Trimmer struct {
	// Shrinks says that lines need not keep their place in the file. The file then becomes shorter
	// if the file system supports that, and otherwise gets holes.
	Shrinks bool

	name string
	kept int64 // on disk, after the last trim
}

// NewTrimmer returns a Trimmer for a file, which need not exist yet.
func NewTrimmer(name string) *Trimmer { return &Trimmer{name: name} }

// Trim frees the lines that are not about moved references once the trace has grown by a few
// megabytes. A trace that stays too large is cut.
func (t *Trimmer) Trim() error {
	if info, err := os.Lstat(t.name); err != nil || !info.Mode().IsRegular() || onDisk(info) < t.kept+step {
		return nil
	}
	err := t.trim()
	if err != nil {
		err = fmt.Errorf("trim git's trace of references: %w", err)
	}
	return err
}

func (t *Trimmer) trim() error {
	f, err := os.OpenFile(t.name, os.O_RDWR|os.O_APPEND|noFollow, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	return t.trimTo(f, size)
}

// trimTo trims the first size bytes of a trace. Git may have appended more since.
func (t *Trimmer) trimTo(f *os.File, size int64) (err error) {
	if t.kept, err = free(f, size, t.Shrinks); err != nil {
		info, statErr := f.Stat()
		if statErr != nil {
			return errors.Join(err, statErr)
		}
		t.kept = onDisk(info)
	}
	if t.kept < Limit {
		return ignoreUnsupported(err)
	}
	return cut(f)
}

// free frees the disk space of all lines for which says returns false, and returns how many of the
// first size bytes it kept. It does not touch the bytes that git appends in the meantime.
func free(f *os.File, size int64, shrinks bool) (kept int64, err error) {
	var gaps []span
	at := int64(1) // the first block stays, because it shows that git wrote
	end, err := scan(f, 0, size, func(line []byte, place int64) {
		if says(line) {
			gaps = append(gaps, span{at, place - 1}) // the end of the line before stays
			at = place + int64(len(line))
		}
	})
	gaps = append(gaps, span{at, end - 1})
	kept = size
	for _, gap := range slices.Backward(gaps) {
		_, freed := blocks(gap)
		kept -= max(freed, 0)
		if err == nil && !(shrinks && collapse(f, gap)) {
			err = punch(f, gap)
		}
	}
	return kept, err
}

// block is the unit of the freed parts, in bytes. File systems use no larger one.
const block = 4096

// blocks returns the whole blocks within a part of a file; size is less than 1 if there
// is none.
func blocks(part span) (from, size int64) {
	from = (part.from + block - 1) / block * block
	return from, part.to/block*block - from
}

// cut empties a trace and writes cutLine.
func cut(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.WriteString(cutLine)
	return err
}

// ignoreUnsupported drops the error of a system that cannot free a part of a file.
func ignoreUnsupported(err error) error {
	if errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}
