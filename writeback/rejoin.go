package writeback

import (
	"bytes"
	"io/fs"
	"strings"
	"time"

	"agentflow/memory"
)

// rejoined puts back the rest of an entry of which an editor read only the
// beginning, in the middle of an append, and then saved more behind it. Who
// takes out the end of an entry within staleSave of its being written gets it
// back, too.
func (w *writer) rejoined(name string, content []byte, info fs.FileInfo, batch []record) ([]byte, bool) {
	fresh := map[string]bool{}
	for _, r := range batch {
		fresh[r.ID] = true
	}
	for id, landed := range w.view.landed {
		if info.ModTime().Sub(time.Unix(0, landed)) < staleSave {
			fresh[id] = true
		}
	}
	old := w.view.files[name]
	return rejoin(append(bytes.Clone(old), lay(old, len(old), name, batch)...), content, fresh)
}

// rejoin gives content what it lacks of the fresh entry in which it parts from
// whole.
func rejoin(whole, content []byte, fresh map[string]bool) ([]byte, bool) {
	at := commonPrefix(whole, content)
	if at == len(content) {
		return nil, false // a torn end is completed: see lay
	}
	end := 0
	for _, b := range memory.Parse(whole).Blocks {
		if end += len(b.Raw); end <= at {
			continue
		}
		if b.Entry == nil || !fresh[b.Entry.ID] || at <= end-len(b.Raw) {
			return nil, false
		}
		break
	}
	region, _, _ := bytes.Cut(content[at:], []byte("\n## "))
	if end <= at || goesOn(whole[at:end], region) {
		return nil, false
	}
	return bytes.Join([][]byte{content[:at], whole[at:end], content[at:]}, nil), true
}

// goesOn says whether a text holds anything of the rest of an entry: a line of
// it, or the end of one.
func goesOn(rest, text []byte) bool {
	for line := range strings.Lines(string(rest)) {
		if line = strings.TrimSpace(line); len(line) > 1 && bytes.Contains(text, []byte(line)) {
			return true
		}
		if at := strings.LastIndex(line, "<!-- "); at > 0 && bytes.Contains(text, []byte(line[at:])) {
			return true
		}
	}
	return len(bytes.TrimSpace(rest)) == 0
}

func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
