package index

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"time"

	"agentflow/internal/repofile"
	"agentflow/memory"
)

// pieceBytes is about how much text is in one piece: what is in memory at
// once does not grow with the files.
const pieceBytes = 256 << 10

// piece is a part of a file, read and cut, ready to be written. A small file
// is one piece.
type piece struct {
	found
	hash        []byte // of the whole file
	first, last bool
	rows        []row
	expires     *int64      // of its last piece: when the first fact in the file holds no longer
	judged      []judgement // of the feedback file, in place of rows
	bytes       int64       // of the file that it stands for
	same        bool        // contents as the index has them; only the listing differs
	skipped     string      // why nothing of the file is indexed; empty: it is
	err         error       // the file could not be read to its end
}

// prepareAll reads and cuts files while earlier ones are being written. The
// channel closes at the end of todo or of ctx.
func (s *syncer) prepareAll(ctx context.Context, todo []found, have map[string]known) <-chan piece {
	ready := make(chan piece, 4)
	go func() {
		defer close(ready)
		c := cutter{o: s.o, now: s.now, send: func(p piece) error {
			embedRows(ctx, s.o.Embedder, p.rows)
			select {
			case ready <- p:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}}
		for _, f := range todo {
			if c.file(f, have[f.name]) != nil {
				return
			}
		}
	}()
	return ready
}

// cutter cuts files into pieces. One goroutine uses it.
type cutter struct {
	o    Options
	now  time.Time
	send func(piece) error
}

// file sends the pieces of a file, the last of them with an error when it
// could not be read. It fails only when send does.
//
// The file is read twice, first for its hash. The listing was taken before
// both, so contents that change meanwhile are looked at again by the next
// Sync.
func (c *cutter) file(f found, k known) error {
	src, err := repofile.Open(f.file(), repofile.NoLink)
	if err != nil {
		return c.send(piece{found: f, err: err})
	}
	defer src.Close()
	h := sha256.New()
	if f.size, err = io.Copy(h, io.LimitReader(src, f.most())); err != nil {
		return c.send(piece{found: f, err: err})
	}
	sum := h.Sum(nil)
	if bytes.Equal(sum, k.hash) && !k.expired(c.now) {
		return c.send(piece{found: f, hash: sum, first: true, last: true, bytes: f.size, same: true})
	}
	binary, err := isBinary(src)
	switch {
	case err != nil:
		return c.send(piece{found: f, err: err})
	case binary:
		return c.send(piece{found: f, hash: sum, first: true, last: true, bytes: f.size, skipped: "it is no text"})
	}
	return c.pieces(io.LimitReader(src, f.most()), f, sum, k)
}

// isBinary says whether the beginning of a file holds a NUL, as git tells
// binary files, and goes back there.
func isBinary(src io.ReadSeeker) (bool, error) {
	if _, err := src.Seek(0, io.SeekStart); err != nil {
		return false, err
	}
	head := make([]byte, 8000)
	n, err := io.ReadFull(src, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return false, err
	}
	_, err = src.Seek(0, io.SeekStart)
	return bytes.IndexByte(head[:n], 0) >= 0, err
}

// pieces cuts what src holds.
func (c *cutter) pieces(src io.Reader, f found, sum []byte, k known) error {
	in := &counted{Reader: src}
	p := piece{found: f, hash: sum, first: true}
	if f.name == feedbackName && !f.included {
		return c.feedback(in, p)
	}
	var text int
	var expires *int64
	var unsent error
	err := memory.ChunkReader(f.name, in, c.o.ChunkTokens, c.o.ChunkOverlap, c.now, func(chunk memory.Chunk) error {
		if text >= pieceBytes {
			p.bytes = in.take()
			if unsent = c.send(p); unsent != nil {
				return unsent
			}
			p, text = piece{found: f, hash: sum}, 0
		}
		text += len(chunk.Text)
		expires = earlier(expires, chunk.Expires)
		p.rows = append(p.rows, c.row(chunk, f, k))
		return nil
	})
	if unsent != nil {
		return unsent
	}
	if err != nil {
		return c.send(piece{found: f, err: fmt.Errorf("cutting it: %w", err)})
	}
	p.last, p.bytes, p.expires = true, in.take(), expires
	return c.send(p)
}

// earlier is the earlier of two times in Unix seconds; nil and the zero time
// are never.
func earlier(a *int64, t time.Time) *int64 {
	if t.IsZero() || a != nil && *a <= t.Unix() {
		return a
	}
	unix := t.Unix()
	return &unix
}

// row makes a chunk's row. What the index has already is not projected:
// tokens are most of the work.
func (c *cutter) row(chunk memory.Chunk, f found, k known) row {
	if f.included {
		disown(&chunk)
	}
	r := newRow(chunk)
	if _, has := slices.BinarySearch(k.keys, r.key); !has {
		r.project()
	}
	return r
}

// disown takes from a chunk of an included file what only memory's own files
// can say: a copy of an entry is no second entry, and nobody pinned it.
func disown(c *memory.Chunk) {
	c.EntryID, c.Kind, c.Branch, c.Commits = "", "", "", nil
	c.Importance, c.Pinned = 0, false
}

// counted counts what was read.
type counted struct {
	io.Reader
	n int64
}

func (r *counted) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	r.n += int64(n)
	return n, err
}

// take returns the bytes read since the last take.
func (r *counted) take() int64 {
	n := r.n
	r.n = 0
	return n
}
