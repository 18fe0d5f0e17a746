package index

import (
	"fmt"
	"slices"

	"agentflow/index/rank"
	"agentflow/index/sources"
	"agentflow/index/store"
	"agentflow/memory/chunk"
	"agentflow/memory/markdown"
)

// standing returns the text of a chunk, or "" if its file no longer has it in
// the same place.
func (s *searcher) standing(id int64) string {
	w, ok := s.view.Text(id)
	if !ok {
		return ""
	}
	text, err := s.read(w)
	s.view.Fail(err)
	return text
}

// read returns the text, or "" if its file no longer has it in the same place.
// The only error is store.ErrDamaged.
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

// text returns the text of a candidate. If its file changed since it was
// indexed, text looks in the current file for the same chunk in another place,
// or for the same part of the same entry, and gives the candidate the lines
// found. It returns "" if the file has neither or cannot be read.
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

// moved looks for a candidate among the current chunks of its file.
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

// now returns the current chunks of a file, cutting each file once. It returns
// none if the file cannot be read, or if the file was the user's when indexed
// and now comes from the repository.
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
