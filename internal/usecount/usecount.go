// Package usecount counts how often entries and facts of memory were used: shown in a prompt, found
// by a search, or read. The counts are in one file next to the log of memory, so that they
// survive the loss or a rebuild of the index.
//
// To count is to append one line. Counts are only statistics: a failure to count is ignored and
// not reported. The file is kept below 1 MB. If it grows beyond that, its lines are summed up,
// and the ids with the oldest last use are dropped.
package usecount

import (
	"cmp"
	"context"
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

	"agentflow/internal/atomicfile"
	"agentflow/internal/filelock"
	"agentflow/internal/safefile"
)

// Kind is a kind of use.
type Kind string

// The kinds of use.
const (
	Prompt Kind = "prompt" // it was in a prompt, before the task
	Search Kind = "search" // a search found it
	Get    Kind = "get"    // a user or an agent read it
)

// Use counts the uses of one item.
type Use struct {
	Prompt, Search, Get int
	Last                time.Time // whole seconds, UTC
}

// Count adds up all kinds.
func (u Use) Count() int { return u.Prompt + u.Search + u.Get }

// Plus returns the sum of two.
func (u Use) Plus(v Use) Use {
	last := u.Last
	if v.Last.After(last) {
		last = v.Last
	}
	return Use{u.Prompt + v.Prompt, u.Search + v.Search, u.Get + v.Get, last}
}

const (
	fileName = "uses"
	maxBytes = 1 << 20
	keptIDs  = 5000
	maxID    = 100 // bytes
)

// lockWait limits the wait for other processes. A use that would wait longer is not counted. Tests set it.
var lockWait = 100 * time.Millisecond

// File is the file of counts in a folder.
type File struct{ Dir string }

func (f File) path() string { return filepath.Join(f.Dir, fileName) }

// Add counts a use of each of these ids. The folder must exist.
func (f File) Add(ctx context.Context, kind Kind, ids []string, at time.Time) {
	ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !countable(id) })
	if len(ids) == 0 {
		return
	}
	line := fmt.Sprintf("+ %d %s %s\n", at.Unix(), kind, strings.Join(ids, " "))
	_ = f.locked(ctx, func() error {
		if f.append(line) > maxBytes {
			return f.sumUp()
		}
		return nil
	})
}

// append adds a line and returns the new size of the file, or 0 if it fails.
func (f File) append(line string) int64 {
	if info, err := os.Lstat(f.path()); err == nil && !info.Mode().IsRegular() {
		return 0 // opening a pipe would block
	}
	out, err := os.OpenFile(f.path(), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return 0
	}
	defer out.Close()
	if _, err := io.WriteString(out, line); err != nil {
		return 0
	}
	info, err := out.Stat()
	if err != nil {
		return 0
	}
	return info.Size()
}

// Forget removes the counts of some ids.
func (f File) Forget(ctx context.Context, ids ...string) error {
	if _, err := os.Stat(f.path()); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := f.locked(ctx, func() error { return f.sumUp(ids...) }); err != nil {
		return fmt.Errorf("taking %s out of the counts of use: %w", strings.Join(ids, ", "), err)
	}
	return nil
}

func (f File) locked(ctx context.Context, do func() error) error {
	now := time.Now()
	lock, err := filelock.Acquire(ctx, f.path()+".lock", filelock.Self("count", now), lockWait)
	if err != nil {
		return err
	}
	return errors.Join(do(), lock.Release())
}

// sumUp replaces the file by its sums, without some ids.
func (f File) sumUp(without ...string) error {
	all, err := f.Read()
	if err != nil {
		return err
	}
	for _, id := range without {
		delete(all, id)
	}
	ids := make([]string, 0, len(all))
	for id := range all {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b string) int { return cmp.Or(all[b].Last.Compare(all[a].Last), strings.Compare(a, b)) })
	var b strings.Builder
	for _, id := range ids[:min(len(ids), keptIDs)] {
		u := all[id]
		fmt.Fprintf(&b, "= %d %d %d %d %s\n", u.Last.Unix(), u.Prompt, u.Search, u.Get, id)
	}
	return atomicfile.Write(f.path(), []byte(b.String()), 0o600)
}

// Read returns the counts by id. It skips lines that cannot be parsed. A missing file has no
// counts.
func (f File) Read() (map[string]Use, error) {
	all := map[string]Use{}
	data, err := safefile.Read(f.path(), safefile.NoLink, 2*maxBytes)
	if safefile.IsAbsent(err) {
		return all, nil
	}
	if err != nil {
		return all, fmt.Errorf("reading the counts of use: %w", err)
	}
	for line := range strings.Lines(string(data)) {
		if whole, ok := strings.CutSuffix(line, "\n"); ok {
			take(all, strings.Fields(whole))
		}
	}
	return all, nil
}

func take(all map[string]Use, fields []string) {
	if len(fields) < 4 {
		return
	}
	unix, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return
	}
	u := Use{Last: time.Unix(unix, 0).UTC()}
	ids := fields[3:]
	switch {
	case fields[0] == "=" && len(fields) == 6:
		ids = fields[5:]
		for i, n := range []*int{&u.Prompt, &u.Search, &u.Get} {
			if *n, err = strconv.Atoi(fields[2+i]); err != nil || *n < 0 {
				return
			}
		}
	case fields[0] == "+":
		switch Kind(fields[2]) {
		case Prompt:
			u.Prompt = 1
		case Search:
			u.Search = 1
		case Get:
			u.Get = 1
		default:
			return
		}
	default:
		return
	}
	for _, id := range ids {
		if countable(id) {
			all[id] = all[id].Plus(u)
		}
	}
}

// countable reports whether an id can be part of a line.
func countable(id string) bool {
	return id != "" && len(id) <= maxID && !strings.ContainsFunc(id, func(r rune) bool { return r <= ' ' || r > '~' })
}
