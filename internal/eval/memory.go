package eval

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"agentflow/memory"
	"agentflow/memory/changeset"
	"agentflow/memory/markdown"
)

// entry returns the entry that a run with this commit would have: its task is the subject, and
// the agent's last message is the body. n distinguishes the ids of commits of one millisecond.
func (c *Commit) entry(n int) (memory.Entry, error) {
	id, err := memory.NewID(c.Time, counter(n))
	if err != nil {
		return memory.Entry{}, err
	}
	files := slices.Clone(c.Files)
	for i := range files {
		files[i].Certainty = changeset.Shown
	}
	return memory.Entry{
		ID: id, Kind: memory.KindRun, Time: c.Time.UTC(), Title: memory.Title(c.Subject), Task: c.Subject, Branch: "main",
		Commits: []changeset.Commit{{ID: c.ID, Subject: c.Subject}},
		Changes: changeset.List{Items: files},
		Result:  &memory.Result{Outcome: memory.OutcomeOK, Success: true},
		Summary: memory.Head(c.Body, memory.MaxSummary),
	}, nil
}

// counter returns fixed bits for the part of an id that is not time.
func counter(n int) *bytes.Reader {
	var b [10]byte
	binary.BigEndian.PutUint64(b[2:], uint64(n))
	return bytes.NewReader(b[:])
}

// diary is a folder of daily files to which entries are appended.
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

// write appends to a daily file. A new file gets its heading.
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

// pathCounts counts paths over the commits that memory holds.
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

// common reports whether more than a tenth of all earlier commits touched the path: to name a
// change log is no achievement of recall.
func (p *pathCounts) common(path string) bool { return 10*p.seen[path] > p.commits }

// targets returns the paths that can be found and are worth finding: seen before, and not
// common.
func (p *pathCounts) targets(paths []string) map[string]bool {
	out := map[string]bool{}
	for _, path := range paths {
		if p.seen[path] > 0 && !p.common(path) {
			out[path] = true
		}
	}
	return out
}

// tree is the work tree after the commits so far.
type tree map[string]bool

func (t tree) apply(changes []changeset.Change) {
	for _, c := range changes {
		if c.Status == changeset.StatusRenamed {
			delete(t, c.OldPath)
		}
		if c.Status == changeset.StatusDeleted {
			delete(t, c.Path)
			continue
		}
		t[c.Path] = true
	}
}

func (t tree) holds(path string) bool { return t[path] }
