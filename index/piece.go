package index

import (
	"bytes"
	"context"
	"crypto/sha256"
	"slices"
	"strings"
	"time"

	"agentflow/index/sources"
	"agentflow/index/store"
	"agentflow/memory/chunk"
	"agentflow/memory/digest"
	"agentflow/memory/markdown"
)

// pieceBytes roughly limits the text of one piece. It keeps the memory in use
// independent of the sizes of the files.
const pieceBytes = 256 << 10

// piece is a part of a file, read and cut, ready to be written. A small file is
// one piece.
type piece struct {
	sources.File
	hash        []byte // of the whole file
	first, last bool
	rows        []store.Row
	judged      []store.Judgement // of the feedback file, which has no rows
	end         store.FileEnd     // set in the last piece
	bytes       int64             // of the file that this piece accounts for
	same        bool              // the index has these contents; only the listing differs
	skipped     string            // why nothing of the file is indexed; empty if it is
	err         error             // the file could not be read completely
}

// prepareAll reads and cuts files while earlier files are being written. The
// channel closes after the last file, or when ctx ends.
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

// cutter cuts files into pieces. Only one goroutine may use it.
type cutter struct {
	o    Options
	now  time.Time
	send func(piece) error
}

// file sends the pieces of a file, or one piece with an error if the file
// cannot be read. It returns an error only if send does.
//
// The listing was taken before the file is read, so the next Sync looks again
// at contents that change meanwhile.
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

// pieces cuts a file. Each piece except the last accounts for as many bytes of
// the file as its chunks have; the last accounts for the rest.
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

// earlier returns the earlier of two times, in Unix seconds. Nil and the zero
// time mean never.
func earlier(a *int64, t time.Time) *int64 {
	if t.IsZero() || a != nil && *a <= t.Unix() {
		return a
	}
	unix := t.Unix()
	return &unix
}

// row makes the row of a chunk. It does not project a row that the index
// already has, because making terms is most of the work.
func (c *cutter) row(chunk chunk.Chunk, at int, f sources.File, k store.Known) store.Row {
	asFrom(f, &chunk)
	r := newRow(chunk, at)
	if _, has := slices.BinarySearch(k.Keys, r.Key); !has {
		project(&r)
	}
	return r
}

// asFrom clears the fields of a chunk that only the user's own memory may set.
func asFrom(f sources.File, c *chunk.Chunk) {
	if f.Included {
		asIncluded(c)
	}
	if f.Author != "" {
		c.Pinned = false
	}
}

// asIncluded clears the fields of a chunk that only memory files may set: in
// another Markdown file, a copy of an entry is not an entry and cannot be
// pinned.
func asIncluded(c *chunk.Chunk) {
	c.EntryID, c.Kind, c.Branch, c.Commits = "", "", "", nil
	c.Importance, c.Pinned = 0, false
}

// endOf returns what the index stores about a memory file besides its chunks.
// Entries in files that others share are not counted.
func endOf(f sources.File, doc *markdown.Document) store.FileEnd {
	if f.Included {
		return store.FileEnd{}
	}
	names := digest.Names(doc)
	slices.Sort(names)
	of := digest.Of(strings.TrimPrefix(f.Name, memoryPrefix), doc)
	end := store.FileEnd{Entries: len(doc.Entries()), Digest: of.Append(nil), Names: slices.Compact(names)}
	if f.Author != "" {
		end.Entries = 0
	}
	return end
}
