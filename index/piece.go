package index

import (
	"bytes"
	"context"
	"crypto/sha256"
	"slices"
	"time"

	"agentflow/index/sources"
	"agentflow/index/store"
	"agentflow/memory/chunk"
	"agentflow/memory/markdown"
)

// pieceBytes is about how much text is in one piece: what is in memory at
// once does not grow with the files.
const pieceBytes = 256 << 10

// piece is a part of a file, read and cut, ready to be written. A small file
// is one piece.
type piece struct {
	sources.File
	hash        []byte // of the whole file
	first, last bool
	rows        []store.Row
	judged      []store.Judgement // of the feedback file, in place of rows
	end         store.FileEnd     // of its last piece
	bytes       int64             // of the file that it stands for
	same        bool              // contents as the index has them; only the listing differs
	skipped     string            // why nothing of the file is indexed; empty: it is
	err         error             // the file could not be read to its end
}

// prepareAll reads and cuts files while earlier ones are being written. The
// channel closes at the end of todo or of ctx.
func (s *syncer) prepareAll(ctx context.Context, todo []sources.File, have map[string]store.Known) <-chan piece {
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
			if c.file(f, have[f.Name]) != nil {
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
// The listing was taken before the file is read, so contents that change
// meanwhile are looked at again by the next Sync.
func (c *cutter) file(f sources.File, k store.Known) error {
	data, err := f.Read()
	if err != nil {
		return c.send(piece{File: f, err: err})
	}
	f.Size = int64(len(data))
	sum := sha256.Sum256(data)
	p := piece{File: f, hash: sum[:], first: true, last: true, bytes: f.Size}
	data, isText := textOf(f, data)
	switch {
	case bytes.Equal(p.hash, k.Hash) && !k.Expired(c.now):
		p.same = true
	case !isText:
		p.skipped = "it is no text"
	case f.Name == feedbackName && !f.Included:
		p.judged, p.end = c.feedback(data), endOf(f, markdown.Parse(data))
	default:
		return c.pieces(data, f, p.hash, k)
	}
	return c.send(p)
}

// pieces cuts a file. Each piece but the last stands for as many bytes of the
// file as its chunks have.
func (c *cutter) pieces(data []byte, f sources.File, sum []byte, k store.Known) error {
	p := piece{File: f, hash: sum, first: true}
	left := f.Size
	var expires *int64
	doc := markdown.Parse(data)
	lines := linesOf(data)
	for chunk := range chunk.All(f.Name, doc, c.o.ChunkTokens, c.o.ChunkOverlap, c.now) {
		if p.bytes >= pieceBytes {
			p.bytes = min(p.bytes, left)
			left -= p.bytes
			if err := c.send(p); err != nil {
				return err
			}
			p = piece{File: f, hash: sum}
		}
		p.bytes += int64(len(chunk.Text))
		expires = earlier(expires, chunk.Expires)
		p.rows = append(p.rows, c.row(chunk, lines.find(chunk), f, k))
	}
	p.last, p.bytes, p.end = true, left, endOf(f, doc)
	p.end.Expires = expires
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
func (c *cutter) row(chunk chunk.Chunk, at int, f sources.File, k store.Known) store.Row {
	asFrom(f, &chunk)
	r := newRow(chunk, at)
	if _, has := slices.BinarySearch(k.Keys, r.Key); !has {
		project(&r)
	}
	return r
}

// asFrom takes from a chunk what only the user's own memory can say.
func asFrom(f sources.File, c *chunk.Chunk) {
	if f.Included {
		asIncluded(c)
	}
	if f.Author != "" {
		c.Pinned = false
	}
}

// asIncluded takes from a chunk of an included file what only memory's files
// can say: a copy of an entry is no second entry, and nobody pinned it.
func asIncluded(c *chunk.Chunk) {
	c.EntryID, c.Kind, c.Branch, c.Commits = "", "", "", nil
	c.Importance, c.Pinned = 0, false
}
