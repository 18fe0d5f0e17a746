package memory

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"time"
)

// Bytes that ChunkReader reads at a time, those it has room for at first, and
// those it looks at before it cuts what has no end.
const (
	readStep  = 1 << 20
	firstRead = 32 << 10
	maxPiece  = 2 << 20
)

// ChunkReader cuts what r holds as Chunks cuts the parsed file, and gives the
// same chunks in the same order while it reads. It keeps no more of the file
// than the section or entry it reads. Where one is longer than about 2 MB, it
// is cut into pieces of 1 to 2 MB, at a paragraph, a line or a word, as if
// each piece ended there, and only its chunks differ from those of Chunks: a
// longer code fence is in several, what it says of itself is known of one
// piece only, and what follows the first piece of an entry is hand-written
// text under the entry's heading.
//
// An error of yield ends it and is returned as it is; one of r is returned
// after chunks that come before it. Chunks share memory with those around
// them.
func ChunkReader(file string, r io.Reader, maxTokens, overlap int, now time.Time, yield func(Chunk) error) error {
	s := chunkStream{c: newChunker(file, maxTokens, overlap, now), r: r, step: readStep, limit: maxPiece}
	s.at.first = true
	return s.run(yield)
}

// chunkStream cuts a file part by part.
type chunkStream struct {
	c           chunker
	r           io.Reader
	step, limit int
	buf         []byte // what is read and not cut
	end         bool   // nothing follows buf
	at          part   // where buf stands
}

func (s *chunkStream) run(yield func(Chunk) error) error {
	for size := s.step; ; {
		if err := s.fill(size); err != nil {
			return fmt.Errorf("reading %s: %w", s.c.file, err)
		}
		n := s.next()
		if n == 0 && !s.end {
			if len(s.buf) < s.limit {
				size = 2 * len(s.buf)
				continue
			}
			n = s.force()
		}
		for _, k := range s.c.out {
			if err := yield(k); err != nil {
				return err
			}
		}
		clear(s.c.out)
		s.c.out = s.c.out[:0]
		if s.end {
			return nil
		}
		s.at.line += bytes.Count(s.buf[:n], []byte{'\n'})
		s.buf = s.buf[:copy(s.buf, s.buf[n:])]
		size = len(s.buf) + s.step
	}
}

// fill reads until buf holds size bytes or all the rest.
func (s *chunkStream) fill(size int) error {
	for idle := 0; len(s.buf) < size; {
		if len(s.buf) == cap(s.buf) { // most files are far smaller than a step
			s.buf = slices.Grow(s.buf, min(size-len(s.buf), max(firstRead, len(s.buf))))
		}
		n, err := s.r.Read(s.buf[len(s.buf):min(size, cap(s.buf))])
		s.buf = s.buf[:len(s.buf)+n]
		switch {
		case err == io.EOF:
			s.end = true
			return nil
		case err != nil:
			return err
		case n > 0:
			idle = 0
		default:
			if idle++; idle > 100 {
				return io.ErrNoProgress
			}
		}
	}
	return nil
}

// whole are the whole lines of buf; the last one of a file needs no ending.
func (s *chunkStream) whole() []byte {
	if s.end {
		return s.buf
	}
	return s.buf[:bytes.LastIndexByte(s.buf, '\n')+1]
}

// next cuts what buf decides, and returns its length.
func (s *chunkStream) next() int {
	at := s.at
	at.more = !s.end
	p := newParser(s.whole(), at)
	return s.take(p, p.blocks())
}

// take makes the chunks of what the parser has cut, up to line end.
func (s *chunkStream) take(p *parser, end int) int {
	if end == 0 {
		return 0
	}
	s.c.open = p.open
	s.c.blocks(&p.doc)
	s.c.continues = p.goesOn
	s.at.first, s.at.open = false, nil
	return p.l.start[end]
}
