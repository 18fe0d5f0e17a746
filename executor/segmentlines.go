package executor

import (
	"bytes"
	"errors"
	"hash/maphash"
	"io"
	"slices"
	"time"

	"agentflow/executor/agent"
	"agentflow/internal/safefile"
)

// readLines decodes the complete lines of a file from an offset on, and returns their size in
// bytes. It stops before the line of an event for which ends returns true; a nil ends never
// does. A repeated line counts once. last is the time of the latest event before the offset.
func readLines(name string, from int64, last time.Time, decoder agent.Decoder, ends func(agent.Event) bool) (read int64, events []agent.Event, err error) {
	f, err := safefile.Open(name, safefile.AnyLink)
	if err != nil {
		return 0, nil, err
	}
	defer f.Close()
	if err := prime(decoder, f, from); err != nil {
		return 0, nil, err
	}
	lines := repeats{before: io.NewSectionReader(f, 0, from), last: last, seen: map[uint64]bool{}}
	var open int64 // size of an unfinished line
	err = eachPiece(f, from, func(piece []byte) bool {
		found := decoder.Feed(piece)
		open += int64(len(piece))
		lines.line.Write(piece)
		if piece[len(piece)-1] == '\n' && lines.end(found) {
			found = nil
		}
		if ends != nil && slices.ContainsFunc(found, ends) {
			return false
		}
		events = append(events, found...)
		if piece[len(piece)-1] == '\n' {
			read, open = read+open, 0
		}
		return true
	})
	if err != nil {
		return 0, nil, err
	}
	return read, events, nil
}

// primed limits the part before an offset that a decoder gets to know, in bytes.
const primed = 256 << 10

// prime feeds a decoder the lines before an offset and drops their events, which were read
// earlier. A call that began there may end after the offset, and the decoder knows the folder
// of the shell.
func prime(decoder agent.Decoder, r io.ReaderAt, from int64) error {
	before := make([]byte, min(from, primed))
	if _, err := r.ReadAt(before, from-int64(len(before))); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if int64(len(before)) < from {
		_, before, _ = bytes.Cut(before, []byte("\n"))
	}
	for line := range bytes.Lines(before) {
		decoder.Feed(line)
	}
	return nil
}

// eachPiece calls do for the pieces of a file from an offset on, until do returns false. A
// piece is at most one line, and a long line has several pieces.
func eachPiece(r io.ReaderAt, from int64, do func(piece []byte) bool) error {
	chunk := make([]byte, 256<<10)
	for at := from; ; {
		n, err := r.ReadAt(chunk, at)
		at += int64(n)
		for piece := range bytes.Lines(chunk[:n]) {
			if !do(piece) {
				return nil
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// repeats recognizes the repeated lines of a file, by their hashes.
type repeats struct {
	before io.ReaderAt // the part of the file that was read earlier; nil: its lines are in seen
	last   time.Time   // of the latest event in that part
	line   maphash.Hash
	seen   map[uint64]bool
}

// end ends a line, and reports whether the file held it before. Lines without a time never
// count as repeated, because equal ones may be separate. end reads the part before the offset
// if the line's time is not later than the last one there.
func (r *repeats) end(events []agent.Event) bool {
	sum := r.line.Sum64()
	r.line.Reset()
	if len(events) == 0 || events[0].Time.IsZero() {
		return false
	}
	if r.before != nil && !events[0].Time.After(r.last) {
		r.readBefore()
	}
	held := r.seen[sum]
	r.seen[sum] = true
	return held
}

// readBefore notes the lines of the earlier part. A part that cannot be read counts as empty.
func (r *repeats) readBefore() {
	var line maphash.Hash
	line.SetSeed(r.line.Seed())
	_ = eachPiece(r.before, 0, func(piece []byte) bool {
		line.Write(piece)
		if piece[len(piece)-1] == '\n' {
			r.seen[line.Sum64()] = true
			line.Reset()
		}
		return true
	})
	r.before = nil
}
