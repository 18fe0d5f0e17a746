package journal

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
	"agentflow/internal/safefile"
)

// Log is a log and its checkpoint in one folder. Every access to the log holds log.lock for its
// duration. Syncing happens after that, so that concurrent writers share the work of the disk.
type Log struct {
	Dir string
	Sys System
	// KeepParent says that the folder above Dir is never created. A git directory that an agent
	// removed must not be recreated empty.
	KeepParent bool
}

// Make creates the log's folder.
func (l Log) Make() error {
	if l.KeepParent {
		if _, err := os.Stat(filepath.Dir(l.Dir)); err != nil {
			return err
		}
	}
	return l.Sys.MkdirAll(l.Dir, 0o700)
}

// Path returns the path of the log's file.
func (l Log) Path() string { return filepath.Join(l.Dir, "log") }

// Checkpoint returns the path of the checkpoint's file.
func (l Log) Checkpoint() string { return filepath.Join(l.Dir, "checkpoint") }

// appendWait bounds the wait for log.lock, which is only held for single reads and writes. A longer
// wait means that its holder is stopped.
const appendWait = 5 * time.Second

// Locked runs f under log.lock.
func (l Log) Locked(ctx context.Context, f func() error) error {
	lock, err := filelock.Acquire(ctx, filepath.Join(l.Dir, "log.lock"), filelock.Self("log", time.Now()), appendWait)
	if err != nil {
		return err
	}
	return errors.Join(f(), lock.Release())
}

// Position is a place in a log.
type Position struct {
	Gen    string // the log's name
	Offset int64
}

// Stretch is the range of the log that an append wrote.
type Stretch struct {
	From, To int64
	Gen      string // name of the log if this append began it, else empty
}

// Append adds the records in one write and, if durable is true, syncs them. After an error of the
// write none of them is in the log.
func (l Log) Append(ctx context.Context, durable bool, records ...Record) (Stretch, error) {
	if err := l.Make(); err != nil {
		return Stretch{}, fmt.Errorf("making the folder of the log: %w", err)
	}
	var f File
	var at Stretch
	err := l.Locked(ctx, func() (err error) {
		f, at, err = l.put(records)
		return err
	})
	if f == nil {
		return Stretch{}, fmt.Errorf("appending to the log: %w", err)
	}
	defer f.Close()
	if err == nil && durable {
		err = f.Sync()
		if err == nil && at.Gen != "" {
			err = l.Sys.SyncDir(l.Dir)
		}
	}
	if err != nil {
		return Stretch{}, fmt.Errorf("appending to %s: %w", l.Path(), err)
	}
	return at, nil
}

// put writes the records at the end of the log. It first cuts off a partial line that a crash left.
// Append never returned success to the writer of that line.
func (l Log) put(records []Record) (File, Stretch, error) {
	if info, err := os.Lstat(l.Path()); err == nil && !info.Mode().IsRegular() {
		return nil, Stretch{}, fmt.Errorf("opening %s: %w", l.Path(), safefile.ErrNotRegular)
	}
	f, err := l.Sys.OpenFile(l.Path(), os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, Stretch{}, err
	}
	whole, err := wholeSize(f)
	if err != nil {
		return f, Stretch{}, err
	}
	var at Stretch
	var lines []byte
	if whole == 0 {
		at.Gen = NewGen()
		lines = Record{Op: OpStart, Gen: at.Gen}.Encode(nil)
	}
	at.From = whole + int64(len(lines))
	for _, r := range records {
		lines = r.Encode(lines)
	}
	if _, err := f.Write(lines); err != nil {
		return f, Stretch{}, errors.Join(err, f.Truncate(whole))
	}
	at.To = whole + int64(len(lines))
	return f, at, nil
}

// wholeSize cuts the file after its last newline and returns its size.
func wholeSize(f File) (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	size := info.Size()
	if size > MaxSize {
		return 0, safefile.ErrTooLarge
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

// NewGen returns a new name for a log.
func NewGen() string { return rand.Text() }

// End returns the log's name and size without reading it. It returns the zero position if there is
// no log.
func (l Log) End() (Position, error) {
	f, err := safefile.Open(l.Path(), safefile.NoLink)
	if safefile.IsAbsent(err) {
		return Position{}, nil
	}
	if err != nil {
		return Position{}, fmt.Errorf("reading the log: %w", err)
	}
	defer f.Close()
	end, err := endOf(f)
	if err != nil {
		return Position{}, fmt.Errorf("reading the log: %w", err)
	}
	return end, nil
}

func endOf(f *os.File) (Position, error) {
	info, err := f.Stat()
	if err != nil {
		return Position{}, err
	}
	head := make([]byte, 256)
	n, _ := f.ReadAt(head, 0) // io.EOF is normal for a short log
	return Position{GenOf(head[:n]), info.Size()}, nil
}

// GenOf returns the name of the log from its first line. If that line is damaged, it returns "", so
// that no part of the log counts as already read.
func GenOf(head []byte) string {
	line, _, ok := bytes.Cut(head, []byte{'\n'})
	if !ok {
		return ""
	}
	r, err := Decode(line)
	if err != nil || r.Op != OpStart {
		return ""
	}
	return r.Gen
}

// MaxSize bounds the log and its checkpoint, in bytes.
const MaxSize = 1 << 30

// Read returns the log's bytes: the whole lines of every finished append.
func (l Log) Read(ctx context.Context) ([]byte, error) {
	if _, err := os.Stat(l.Path()); safefile.IsAbsent(err) {
		return nil, nil
	}
	var data []byte
	err := l.quietly(ctx, func() (err error) {
		data, err = safefile.Read(l.Path(), safefile.NoLink, MaxSize)
		return err
	})
	return data, err
}

// After returns the log's bytes after a position. same reports whether the log is the one that the
// position refers to.
func (l Log) After(ctx context.Context, pos Position) (data []byte, same bool, err error) {
	err = l.quietly(ctx, func() error {
		f, err := safefile.Open(l.Path(), safefile.NoLink)
		if err != nil {
			return err
		}
		defer f.Close()
		end, err := endOf(f)
		if err != nil || end.Gen == "" || end.Gen != pos.Gen || end.Offset < pos.Offset {
			return err
		}
		data, same = make([]byte, min(end.Offset, MaxSize)-pos.Offset), true
		_, err = f.ReadAt(data, pos.Offset)
		return err
	})
	return data, same && err == nil, err
}

// quietly runs read while no process appends. If there is no log, it does nothing.
func (l Log) quietly(ctx context.Context, read func() error) error {
	err := l.Locked(ctx, read)
	var held *filelock.HeldError
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.As(err, &held) && ctx.Err() == nil {
		err = read() // a folder that cannot be written has no writers
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("reading the log: %w", err)
	}
	return nil
}

// Apply processes a record at an offset of the log. The offset of a record of a checkpoint is 0.
type Apply func(r Record, at int64)

// Replay calls apply with the records of the checkpoint, and then with those of the log that the
// checkpoint does not cover. It passes the files of the checkpoint to file, to be read when they
// are needed. It returns the position it reached in the log, and at most one line each for the
// checkpoint and the log that describes what could not be read.
func (l Log) Replay(data []byte, apply Apply, file func(name string, s *Stored)) (Position, []string, error) {
	start, damage, err := l.replayCheckpoint(apply, file)
	if err != nil {
		return Position{}, nil, err
	}
	pos := Position{Gen: GenOf(data)}
	if pos.Gen != "" && pos.Gen == start.Covers {
		pos.Offset = min(start.Offset, int64(len(data)))
	}
	end, more := Each("log", data[pos.Offset:], pos.Offset, apply)
	pos.Offset = end
	return pos, append(damage, more...), nil
}

// Each calls apply with every record of data, which begins at offset base of the log, and returns
// the offset after the last whole line. It skips and counts lines that cannot be decoded. It
// reports all of them in one sentence, because data may be nothing but garbage. Bytes after the
// last newline are a torn append, and are ignored.
func Each(name string, data []byte, base int64, apply Apply) (end int64, damage []string) {
	var first error
	var bad, lost, at int64
	for len(data) > 0 {
		n := bytes.IndexByte(data, '\n')
		if n < 0 {
			break
		}
		if r, err := Decode(data[:n]); err == nil {
			apply(r, base)
		} else {
			if bad == 0 {
				first, at = err, base
			}
			bad++
			lost += int64(n)
		}
		base += int64(n) + 1
		data = data[n+1:]
	}
	switch bad {
	case 0:
	case 1:
		damage = append(damage, fmt.Sprintf("%s: a line of %d bytes at offset %d was skipped: %v", name, lost, at, first))
	default:
		damage = append(damage, fmt.Sprintf("%s: %d lines of %d bytes, the first at offset %d, were skipped: %v", name, bad, lost, at, first))
	}
	return base, damage
}

// Rotate replaces the log by a new one that holds only the waiting records, and returns its name
// and where they begin. The caller holds log.lock and has written a checkpoint that covers the old
// log.
func (l Log) Rotate(waiting []Record) (Position, error) {
	gen := NewGen()
	lines := Record{Op: OpStart, Gen: gen}.Encode(nil)
	start := Position{gen, int64(len(lines))}
	for _, r := range waiting {
		lines = r.Encode(lines)
	}
	return start, atomicfile.WriteTo(l.Sys, l.Path(), lines, 0o600)
}
