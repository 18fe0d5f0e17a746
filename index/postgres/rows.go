package postgres

import (
	"fmt"
	"strings"

	"agentflow/index/stems"
	"agentflow/index/store"
)

// chunkRow is a chunk that is not yet written.
type chunkRow struct {
	id, file int64
	row      store.Row
	length   int
	hash     []byte // of its vector; nil if it has none yet
}

var chunkColumns = []string{"index", "id", "file", "key", "hash", "entry", "kind", "heading", "ns", "source", "ordinal", "start", "stop", "date", "zone", "branch",
	"commits", "paths", "types", "tags", "categories", "importance", "pinned", "undone", "idle", "bytool", "person", "terms", "length", "sum", "at", "text"}

func (k *chunkRow) values(index int) []any {
	r := &k.row
	date, zone := store.Date(r.Date)
	return []any{index, k.id, k.file, r.Key, k.hash, clean(r.EntryID), clean(string(r.Kind)), clean(r.Heading), clean(r.Namespace), clean(r.Source), r.Ordinal, r.StartLine, r.EndLine, date, zone, clean(r.Branch),
		cleaned(r.Commits), cleaned(r.Paths), cleaned(r.Types), cleaned(r.Tags), cleaned(r.Categories), r.Importance, r.Pinned, r.Undone, r.Idle, r.ByTool, clean(r.Person),
		bytesOf(r.Terms), k.length, int64(r.Sum), r.At, []byte(r.Text)}
}

// Add adds a chunk.
func (u *update) Add(file int64, r *store.Row) {
	u.m.lastChunk++
	k := chunkRow{id: u.m.number(u.m.lastChunk), file: file, row: *r}
	text := [columns]string{r.Title, r.Body, r.Files}
	k.length = tokensOf(text)
	u.postings.add(k.id, text)
	k.row.Title, k.row.Body, k.row.Files = "", "", "" // not stored
	u.count(r.Terms, k.length, 1)
	u.history.add(k.id, r)
	u.chunks = append(u.chunks, k)
	if len(u.chunks) >= rowsAtOnce {
		u.write(false)
	}
}

// write writes the collected rows; while fresh tables are filled and all is
// false, only the full blocks.
func (u *update) write(all bool) {
	u.writeChunks()
	u.postings.write(u, all)
	u.history.write(all)
	u.vectors.write(all)
}

// writeChunks copies the collected chunks and their vectors.
func (u *update) writeChunks() {
	u.vectors.give(u.chunks)
	rows := make([][]any, len(u.chunks))
	for i := range u.chunks {
		rows[i] = u.chunks[i].values(u.m.id)
	}
	u.copyIn("chunks", chunkColumns, rows)
	u.chunks = u.chunks[:0]
}

// Remove removes chunks.
func (u *update) Remove(ids []int64) {
	if len(ids) == 0 {
		return
	}
	u.writeChunks()
	u.each(func(scan func(...any) error) error {
		var id int64
		var terms []byte
		var length int
		if err := scan(&id, &terms, &length); err != nil {
			return err
		}
		u.count(terms, length, -1)
		for h := range stems.All(terms) {
			u.postings.remove(h, id)
		}
		return nil
	}, `SELECT id, terms, length FROM `+u.table("chunks")+` WHERE id=ANY($1)`, ids)
	for _, id := range ids {
		u.history.remove(id)
		u.vectors.remove(id)
	}
	u.exec(`DELETE FROM `+u.table("chunks")+` WHERE id=ANY($1)`, ids)
	u.exec(`DELETE FROM `+u.table("pending")+` WHERE chunk=ANY($1)`, ids)
}

func tokensOf(text [columns]string) (n int) {
	for _, t := range text {
		n += len(strings.Fields(t))
	}
	return n
}

// clean makes a string valid for a text column: UTF-8 without NUL.
func clean(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "")
}

func cleaned[S ~string](list []S) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = clean(string(s))
	}
	return out
}

// bytesOf returns b, but never nil, which would be NULL.
func bytesOf(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

func keysOf(m map[uint32][]uint32) []int32 {
	keys := make([]int32, 0, len(m))
	for k := range m {
		keys = append(keys, int32(k))
	}
	return keys
}

// place identifies one block of a term's postings.
type place struct {
	term  uint32
	block int64
}

// change is the pending change of a block.
type change struct {
	added   []posting
	removed map[int64]bool
}

// postingChanges are the changes of a transaction that are not yet written.
type postingChanges map[place]*change

func (c postingChanges) at(p place) *change {
	if c[p] == nil {
		c[p] = &change{}
	}
	return c[p]
}

func (c postingChanges) add(id int64, text [columns]string) {
	for term, p := range postingsOf(id, text) {
		k := c.at(place{term, blockOf(id)})
		k.added = append(k.added, p)
	}
}

func (c postingChanges) remove(term uint32, id int64) {
	k := c.at(place{term, blockOf(id)})
	if k.removed == nil {
		k.removed = map[int64]bool{}
	}
	k.removed[id] = true
}

// write writes the changed blocks: all, or while fresh tables are filled only
// the full ones.
func (c postingChanges) write(u *update, all bool) {
	until := u.until(blockSize, all)
	var terms []int32
	var blocks []int64
	for p := range c {
		if p.block < until {
			terms, blocks = append(terms, int32(p.term)), append(blocks, p.block)
		}
	}
	if len(terms) == 0 {
		return
	}
	old := c.read(u, terms, blocks)
	rows := make([][]any, len(terms))
	data := make([][]byte, len(terms))
	for i := range terms {
		at := place{uint32(terms[i]), blocks[i]}
		data[i] = encode(merge(old[at], c[at].added, c[at].removed))
		rows[i] = []any{u.m.id, terms[i], blocks[i], data[i]}
		delete(c, at)
	}
	if u.fresh {
		u.copyIn("postings", []string{"index", "term", "block", "data"}, rows)
		return
	}
	u.exec(`INSERT INTO `+u.table("postings")+`(index, term, block, data) SELECT $1, * FROM unnest($2::int[], $3::bigint[], $4::bytea[])
		ON CONFLICT(index, term, block) DO UPDATE SET data=excluded.data`, u.m.id, terms, blocks, data)
	u.exec(`DELETE FROM `+u.table("postings")+` WHERE data='' AND index=$1 AND term=ANY($2) AND block=ANY($3)`, u.m.id, terms, blocks)
}

// read reads the stored postings of blocks.
func (c postingChanges) read(u *update, terms []int32, blocks []int64) map[place][]posting {
	old := map[place][]posting{}
	if u.fresh {
		return old
	}
	u.each(func(scan func(...any) error) error {
		var term int32
		var block int64
		var data []byte
		if err := scan(&term, &block, &data); err != nil {
			return err
		}
		list, err := decode(block, data)
		if err != nil {
			return fmt.Errorf("%w: %w", store.ErrDamaged, err)
		}
		old[place{uint32(term), block}] = list
		return nil
	}, `SELECT p.term, p.block, p.data FROM `+u.table("postings")+` p JOIN unnest($2::int[], $3::bigint[]) AS w(term, block) ON p.term=w.term AND p.block=w.block WHERE p.index=$1`,
		u.m.id, terms, blocks)
	return old
}
