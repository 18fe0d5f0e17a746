package index

import (
	"bytes"
	"fmt"
	"slices"

	"agentflow/index/rank"
	"agentflow/index/sources"
	"agentflow/index/store"
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

// standing is the text of a chunk, where its file has it as it was indexed; else empty.
func (s *searcher) standing(id int64) string {
	w, ok := s.view.Text(id)
	if !ok {
		return ""
	}
	text, err := s.read(w)
	s.view.Fail(err)
	return text
}

// read is the text where the file has it as it was indexed; else empty. It fails with
// store.ErrDamaged alone.
func (s *searcher) read(w store.Text) (string, error) {
	if w.Text != nil {
		if store.Checksum(*w.Text, w.Terms) != w.Sum {
			return "", fmt.Errorf("%w: a text is not as it was written", store.ErrDamaged)
		}
		return *w.Text, nil
	}
	file, ok := sources.Locate(s.sources, w.File)
	if !ok {
		return "", nil
	}
	text, err := file.ReadAt(int64(w.At), w.Size)
	if err != nil || store.Checksum(text, w.Terms) != w.Sum {
		return "", nil
	}
	return text, nil
}

// text is what a candidate says. Where its file was changed since it was indexed, it is
// looked for in there: a chunk that only moved, or the same part of the same entry, whose
// lines the candidate gets. Empty: its file has neither, or cannot be read.
func (s *searcher) text(k *rank.Candidate) string {
	w, ok := s.view.Text(k.ID)
	if !ok {
		s.view.Fail(fmt.Errorf("%w: a text is gone", store.ErrDamaged))
	}
	text, err := s.read(w)
	s.view.Fail(err)
	if file, known := sources.Locate(s.sources, w.File); text == "" && known && s.view.Err() == nil {
		text = s.moved(k, w, s.now(file))
	}
	return text
}

// moved looks for a candidate among the chunks that its file has now.
func (s *searcher) moved(k *rank.Candidate, w store.Text, now []store.Row) string {
	at := slices.IndexFunc(now, func(r store.Row) bool { return r.Key == w.Key })
	if at >= 0 && store.Checksum(now[at].Text, w.Terms) != w.Sum {
		s.view.Fail(fmt.Errorf("%w: a chunk is not as it was written", store.ErrDamaged))
	}
	if at < 0 && k.Entry != "" {
		at = slices.IndexFunc(now, func(r store.Row) bool { return r.EntryID == k.Entry && r.Ordinal == w.Ordinal })
	}
	if at < 0 {
		return ""
	}
	k.Start, k.Stop = now[at].StartLine, now[at].EndLine
	return now[at].Text
}

// now are the chunks of a file as it is, each file cut once; none of one that cannot be read,
// or that came with the repository since it was indexed as the user's.
func (s *searcher) now(f sources.File) []store.Row {
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
			asFrom(f, &k)
			rows = append(rows, newRow(k, -1))
		}
	}
	if s.cut == nil {
		s.cut = map[string][]store.Row{}
	}
	s.cut[f.Name] = rows
	return rows
}
