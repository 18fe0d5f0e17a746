package hook

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"agentflow/internal/repofile"
)

// settled is the age at which nobody writes to a file any more: an unfinished
// line in it stays so, and when it was put away it can be removed.
const settled = time.Minute

// part is a file of events: the queue itself, or one that was put away as
// queue.SEQ.READ, SEQ being the time in ns, when the first READ bytes of it
// had been used. A name is changed in one step, so what is used is forgotten
// at once or not at all.
type part struct {
	path      string
	seq, from int64 // of the name; seq is 0 for the queue itself
	next      int64 // how far it has been read now
	modified  time.Time
	events    []Event
	damaged   int
}

// waiting reads what was not used yet from the queue and the files that were
// put away, oldest first.
func waiting(folder string) ([]part, error) {
	names, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var parts []part
	for _, entry := range names {
		p, ok := parseName(entry.Name())
		if !ok {
			continue
		}
		p.path = filepath.Join(folder, entry.Name())
		if err := p.read(); err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	slices.SortFunc(parts, func(a, b part) int {
		if (a.seq == 0) != (b.seq == 0) {
			return cmp.Compare(b.seq, a.seq) // the queue itself comes last
		}
		return cmp.Compare(a.seq, b.seq)
	})
	return parts, nil
}

// parseName recognises the name of a part.
func parseName(name string) (p part, ok bool) {
	if name == queueName {
		return p, true
	}
	rest, ok := strings.CutPrefix(name, queueName+".")
	seq, from, both := strings.Cut(rest, ".")
	if !ok || !both {
		return p, false
	}
	var bad1, bad2 error
	p.seq, bad1 = strconv.ParseInt(seq, 10, 64)
	p.from, bad2 = strconv.ParseInt(from, 10, 64)
	return p, errors.Join(bad1, bad2) == nil && p.seq > 0 && p.from >= 0
}

// read fills in the events behind from. An unfinished line at the end is left
// for later, unless nobody is writing it any more.
func (p *part) read() error {
	f, err := repofile.Open(p.path, repofile.NoLink)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	p.modified = info.ModTime()
	text, err := io.ReadAll(io.NewSectionReader(f, p.from, max(0, info.Size()-p.from)))
	if err != nil {
		return err
	}
	if time.Since(p.modified) < settled {
		text = text[:bytes.LastIndexByte(text, '\n')+1]
	}
	p.next = p.from + int64(len(text))
	p.events, p.damaged = parse(text)
	for i := range p.events {
		p.events[i].Time = p.modified
	}
	return nil
}

// forget says by the file's name how far it has been used.
func (p part) forget() error {
	if p.next == p.from {
		return nil
	}
	seq := cmp.Or(p.seq, time.Now().UnixNano())
	for {
		to := filepath.Join(filepath.Dir(p.path), fmt.Sprintf("%s.%d.%d", queueName, seq, p.next))
		if _, err := os.Lstat(to); errors.Is(err, fs.ErrNotExist) {
			return os.Rename(p.path, to)
		} else if err != nil {
			return err
		}
		seq++
	}
}

// sweep removes what was put away, and last written to, so long ago that no
// hook can still have it open.
func sweep(parts []part) (err error) {
	for _, p := range parts {
		if p.seq != 0 && time.Since(time.Unix(0, p.seq)) >= settled && time.Since(p.modified) >= settled {
			err = errors.Join(err, os.Remove(p.path))
		}
	}
	return err
}
