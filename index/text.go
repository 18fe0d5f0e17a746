package index

import (
	"bytes"
	"fmt"
	"slices"

	"agentflow/index/rank"
	"agentflow/index/sources"
	"agentflow/memory/chunk"
	"agentflow/memory/markdown"
)

// lines are the places of a file's lines.
type lines struct {
	data  []byte
	start []int // of each line, and the end of the last
}

func linesOf(data []byte) lines {
	l := lines{data: data, start: []int{0}}
	for at := 0; at < len(data); {
		n := bytes.IndexByte(data[at:], '\n')
		if n < 0 {
			break
		}
		at += n + 1
		l.start = append(l.start, at)
	}
	l.start = append(l.start, len(data))
	return l
}

// find is the byte at which a chunk's text stands in the file; -1 when it does not stand
// there so.
func (l lines) find(k chunk.Chunk) int {
	first, end := k.StartLine-1, k.EndLine
	if first < 0 || end >= len(l.start) || first > end {
		return -1
	}
	at := bytes.Index(l.data[l.start[first]:l.start[end]], []byte(k.Text))
	if at < 0 {
		return -1
	}
	return l.start[first] + at
}

// storedText is what the index has of a chunk's text.
type storedText struct {
	key      int64
	ordinal  int
	file     string
	at, size int
	text     *string // of one that does not stand in its file so
	terms    []byte
	sum      uint32
}

func (s *searcher) stored(id int64) (w storedText, ok bool) {
	ok = s.row([]any{&w.key, &w.ordinal, &w.file, &w.at, &w.size, &w.text, &w.terms, &w.sum},
		`SELECT c.key, c.ordinal, f.path, c.at, c.size, c.text, c.terms, c.sum FROM chunks c JOIN files f ON f.id=c.file WHERE c.id=?`, id)
	return w, ok
}

// standing is the text of a chunk, where its file has it as it was indexed; else empty.
func (s *searcher) standing(id int64) string {
	w, ok := s.stored(id)
	if !ok {
		return ""
	}
	text, err := s.read(w)
	s.fail(err)
	return text
}

// read is the text where the file has it as it was indexed; else empty. It fails with
// errDamaged alone.
func (s *searcher) read(w storedText) (string, error) {
	if w.text != nil {
		if checksum(*w.text, w.terms) != w.sum {
			return "", fmt.Errorf("%w: a text is not as it was written", errDamaged)
		}
		return *w.text, nil
	}
	file, ok := sources.Locate(s.db.sources, w.file)
	if !ok {
		return "", nil
	}
	text, err := file.ReadAt(int64(w.at), w.size)
	if err != nil || checksum(text, w.terms) != w.sum {
		return "", nil
	}
	return text, nil
}

// text is what a candidate says. Where its file was changed since it was indexed, it is
// looked for in there: a chunk that only moved, or the same part of the same entry, whose
// lines the candidate gets. Empty: its file has neither, or cannot be read.
func (s *searcher) text(k *rank.Candidate) string {
	w, ok := s.stored(k.ID)
	if !ok {
		s.fail(fmt.Errorf("%w: a text is gone", errDamaged))
	}
	text, err := s.read(w)
	s.fail(err)
	if file, known := sources.Locate(s.db.sources, w.file); text == "" && known && s.err == nil {
		text = s.moved(k, w, s.now(file))
	}
	return text
}

// moved looks for a candidate among the chunks that its file has now.
func (s *searcher) moved(k *rank.Candidate, w storedText, now []row) string {
	at := slices.IndexFunc(now, func(r row) bool { return r.key == w.key })
	if at >= 0 && checksum(now[at].Text, w.terms) != w.sum {
		s.fail(fmt.Errorf("%w: a chunk is not as it was written", errDamaged))
	}
	if at < 0 && k.Entry != "" {
		at = slices.IndexFunc(now, func(r row) bool { return r.EntryID == k.Entry && r.Ordinal == w.ordinal })
	}
	if at < 0 {
		return ""
	}
	k.Start, k.Stop = now[at].StartLine, now[at].EndLine
	return now[at].Text
}

// now are the chunks of a file as it is, each file cut once; none of one that cannot be read,
// or that came with the repository since it was indexed as the user's.
func (s *searcher) now(f sources.File) []row {
	rows, ok := s.cut[f.Name]
	if ok {
		return rows
	}
	if f.Moved() {
		return nil
	}
	if data, err := f.Read(); err == nil {
		o := s.db.o
		for k := range chunk.All(f.Name, markdown.Parse(data), o.ChunkTokens, o.ChunkOverlap, s.db.now()) {
			if f.Included {
				asIncluded(&k)
			}
			rows = append(rows, newRow(k, -1))
		}
	}
	if s.cut == nil {
		s.cut = map[string][]row{}
	}
	s.cut[f.Name] = rows
	return rows
}
