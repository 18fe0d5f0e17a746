package writeback

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"agentflow/internal/atomicfile"
	"agentflow/internal/filelock"
	"agentflow/internal/repofile"
)

// journal is a log and its checkpoint in one folder. Whoever touches the log
// holds log.lock for as long as that takes; syncing happens after it, so
// that concurrent writers share the disk's work.
type journal struct {
	dir string
	sys system
	// lodger: the folder above is somebody else's and is never made. A git
	// directory that an agent removed must not come back as a shell of itself.
	lodger bool
}

// make makes the journal's folder.
func (j journal) make() error {
	if j.lodger {
		if _, err := os.Stat(filepath.Dir(j.dir)); err != nil {
			return err
		}
	}
	return j.sys.MkdirAll(j.dir, 0o700)
}

func (j journal) log() string        { return filepath.Join(j.dir, "log") }
func (j journal) checkpoint() string { return filepath.Join(j.dir, "checkpoint") }

// appendWait bounds the wait for log.lock, which is only held for single
// reads and writes: longer means that its holder is stopped.
const appendWait = 5 * time.Second

// guard runs f under log.lock.
func (j journal) guard(ctx context.Context, f func() error) error {
	lock, err := filelock.Acquire(ctx, filepath.Join(j.dir, "log.lock"), filelock.Self("log", time.Now()), appendWait)
	if err != nil {
		return err
	}
	return errors.Join(f(), lock.Release())
}

// stretch is where an append went.
type stretch struct {
	from, to int64
	gen      string // name of the log when this append began it, else empty
}

// append adds the records in one write and, when durable, syncs them. After
// an error of the write none of them is in the log.
func (j journal) append(ctx context.Context, durable bool, records ...record) (stretch, error) {
	if err := j.make(); err != nil {
		return stretch{}, fmt.Errorf("making the folder of the log: %w", err)
	}
	var f file
	var at stretch
	err := j.guard(ctx, func() (err error) {
		f, at, err = j.put(records)
		return err
	})
	if f == nil {
		return stretch{}, fmt.Errorf("appending to the log: %w", err)
	}
	defer f.Close()
	if err == nil && durable {
		err = f.Sync()
		if err == nil && at.gen != "" {
			err = j.sys.SyncDir(j.dir)
		}
	}
	if err != nil {
		return stretch{}, fmt.Errorf("appending to %s: %w", j.log(), err)
	}
	return at, nil
}

// put writes the records at the end of the log, after what a crash left of a
// line was cut off; that line's writer was never told it had been written.
func (j journal) put(records []record) (file, stretch, error) {
	if info, err := os.Lstat(j.log()); err == nil && !info.Mode().IsRegular() {
		return nil, stretch{}, fmt.Errorf("opening %s: %w", j.log(), repofile.ErrNotRegular)
	}
	f, err := j.sys.OpenFile(j.log(), os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, stretch{}, err
	}
	whole, err := wholeSize(f)
	if err != nil {
		return f, stretch{}, err
	}
	var at stretch
	var lines []byte
	if whole == 0 {
		at.gen = newGen()
		lines = record{Op: opStart, Gen: at.gen}.encode(nil)
	}
	at.from = whole + int64(len(lines))
	for _, r := range records {
		lines = r.encode(lines)
	}
	if _, err := f.Write(lines); err != nil {
		return f, stretch{}, errors.Join(err, f.Truncate(whole))
	}
	at.to = whole + int64(len(lines))
	return f, at, nil
}

// wholeSize is the size up to the last newline; the rest is cut off.
func wholeSize(f file) (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	size := info.Size()
	if size > maxLog {
		return 0, repofile.ErrTooLarge
	}
	buf := make([]byte, 4096)
	for end := size; end > 0; {
		start := max(0, end-int64(len(buf)))
		part := buf[:end-start]
		if _, err := f.ReadAt(part, start); err != nil && err != io.EOF {
			return 0, err
		}
		if i := bytes.LastIndexByte(part, '\n'); i >= 0 {
			if whole := start + int64(i) + 1; whole < size {
				return whole, f.Truncate(whole)
			}
			return size, nil
		}
		end = start
	}
	if size > 0 {
		return 0, f.Truncate(0)
	}
	return 0, nil
}

// newGen names a log.
func newGen() string { return rand.Text() }

// position is a place in a log.
type position struct {
	gen    string
	offset int64
}

// end gives the log's name and size without reading it; the zero position
// when there is no log.
func (j journal) end() (position, error) {
	f, err := repofile.Open(j.log(), repofile.NoLink)
	if absent(err) {
		return position{}, nil
	}
	if err != nil {
		return position{}, fmt.Errorf("reading the log: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return position{}, fmt.Errorf("reading the log: %w", err)
	}
	head := make([]byte, 256)
	n, _ := f.ReadAt(head, 0) // io.EOF is normal for a short log
	return position{genOf(head[:n]), info.Size()}, nil
}

// genOf reads the name of the log from its first line; a damaged one has
// none, so nothing can be taken as read.
func genOf(head []byte) string {
	line, _, ok := bytes.Cut(head, []byte{'\n'})
	if !ok {
		return ""
	}
	r, err := decode(line)
	if err != nil || r.Op != opStart {
		return ""
	}
	return r.Gen
}

// maxLog bounds the log and its checkpoint, in bytes.
const maxLog = 1 << 30

// read gives the log's bytes, whole lines of every finished append.
func (j journal) read(ctx context.Context) ([]byte, error) {
	if _, err := os.Stat(j.log()); absent(err) {
		return nil, nil
	}
	var data []byte
	read := func() (err error) {
		data, err = repofile.Read(j.log(), repofile.NoLink, maxLog)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	err := j.guard(ctx, read)
	var held *filelock.HeldError
	if err != nil && !errors.As(err, &held) && ctx.Err() == nil {
		err = read() // a folder that cannot be written has no writers
	}
	if err != nil {
		return nil, fmt.Errorf("reading the log: %w", err)
	}
	return data, nil
}

// load replays the checkpoint and the log into v, and gives where it came to.
func (j journal) load(ctx context.Context, v *view) (position, error) {
	data, err := j.read(ctx)
	if err != nil {
		return position{}, err
	}
	return j.replay(v, data)
}

// replay is load with the log's contents given.
func (j journal) replay(v *view, data []byte) (position, error) {
	var start record
	check, err := repofile.Read(j.checkpoint(), repofile.NoLink, maxLog)
	if err != nil && !absent(err) {
		return position{}, fmt.Errorf("reading the checkpoint: %w", err)
	}
	if line, _, ok := bytes.Cut(check, []byte{'\n'}); ok {
		start, _ = decode(line) // a damaged one is named by replay
	}
	v.replay("checkpoint", check, 0)
	for i := range v.pending {
		v.pending[i].at = 0
	}
	pos := position{gen: genOf(data)}
	if pos.gen != "" && pos.gen == start.Covers {
		pos.offset = min(start.Offset, int64(len(data)))
	}
	pos.offset = v.replay("log", data[pos.offset:], pos.offset)
	return pos, nil
}

// damage is what could not be read of a log: its lines, with the first one's
// place and reason. A log may be nothing but rubbish, so it is told in one
// sentence.
type damage struct {
	lines int
	at    int64
	bytes int64
	err   error
}

func (d *damage) add(at int64, length int, err error) {
	if d.lines == 0 {
		d.at, d.err = at, err
	}
	d.lines++
	d.bytes += int64(length)
}

func (d *damage) in(name string) string {
	if d.lines == 1 {
		return fmt.Sprintf("%s: a line of %d bytes at offset %d was skipped: %v", name, d.bytes, d.at, d.err)
	}
	return fmt.Sprintf("%s: %d lines of %d bytes, the first at offset %d, were skipped: %v", name, d.lines, d.bytes, d.at, d.err)
}

// reset replaces the log by a new one that holds only what is pending. The
// caller holds log.lock.
func (j journal) reset(waiting []pending) (position, error) {
	gen := newGen()
	lines := record{Op: opStart, Gen: gen}.encode(nil)
	start := position{gen, int64(len(lines))}
	for _, p := range waiting {
		lines = p.record.encode(lines)
	}
	return start, atomicfile.WriteTo(j.sys, j.log(), lines, 0o600)
}
