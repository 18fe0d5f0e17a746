package eval

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"agentflow/memory"
	"agentflow/memory/markdown"
)

// entry is the commit as a finished run would be recorded: its subject is the
// task, its body the agent's last message. n tells apart the ids of commits
// of one millisecond.
func (c *Commit) entry(n int) (memory.Entry, error) {
	id, err := memory.NewID(c.Time, counter(n))
	if err != nil {
		return memory.Entry{}, err
	}
	files := slices.Clone(c.Files)
	for i := range files {
		files[i].Certainty = memory.Shown
	}
	return memory.Entry{
		ID: id, Kind: memory.KindRun, Time: c.Time.UTC(), Title: memory.Title(c.Subject), Task: c.Subject, Branch: "main",
		Commits: []memory.Commit{{ID: c.ID, Subject: c.Subject}},
		Changes: memory.ChangeList{Items: files},
		Result:  &memory.Result{Outcome: memory.OutcomeOK, Success: true},
		Summary: memory.Head(c.Body, memory.MaxSummary),
	}, nil
}

// counter gives an id its bits that are not time, the same ones every time.
func counter(n int) *bytes.Reader {
	var b [10]byte
	binary.BigEndian.PutUint64(b[2:], uint64(n))
	return bytes.NewReader(b[:])
}

// diary is a folder of daily files that entries are appended to.
type diary struct{ dir string }

func (d diary) append(entries ...memory.Entry) error {
	byFile := map[string][]byte{}
	for _, e := range entries {
		name := memory.DayFile(e.Time)
		byFile[name] = append(byFile[name], markdown.Format(e)...)
	}
	for name, text := range byFile {
		if err := d.write(name, text); err != nil {
			return fmt.Errorf("writing %s: %w", name, err)
		}
	}
	return nil
}

// write appends to a daily file; a new one gets its heading.
func (d diary) write(name string, text []byte) error {
	f, err := os.OpenFile(filepath.Join(d.dir, name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() == 0 {
		text = append([]byte("# "+name[:len(name)-len(".md")]+"\n\n"), text...)
	}
	if _, err := f.Write(text); err != nil {
		return err
	}
	return f.Close()
}

// paths counted over the commits that memory holds.
type pathCounts struct {
	commits int
	seen    map[string]int // commits that touched the path
}

func (p *pathCounts) add(paths []string) {
	p.commits++
	for _, path := range paths {
		p.seen[path]++
	}
}

// common says whether more than a tenth of all earlier commits touched the
// path: naming a change log is no recall.
func (p *pathCounts) common(path string) bool { return 10*p.seen[path] > p.commits }

// targets are the paths that could be found and are worth finding: not
// common, and seen before.
func (p *pathCounts) targets(paths []string) map[string]bool {
	out := map[string]bool{}
	for _, path := range paths {
		if p.seen[path] > 0 && !p.common(path) {
			out[path] = true
		}
	}
	return out
}

// tree is the work tree as the commits so far leave it.
type tree map[string]bool

func (t tree) apply(changes []memory.Change) {
	for _, c := range changes {
		if c.Status == memory.StatusRenamed {
			delete(t, c.OldPath)
		}
		if c.Status == memory.StatusDeleted {
			delete(t, c.Path)
			continue
		}
		t[c.Path] = true
	}
}

func (t tree) holds(path string) bool { return t[path] }
