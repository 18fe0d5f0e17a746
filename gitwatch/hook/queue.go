package hook

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"agentflow/internal/filelock"
	"agentflow/internal/safefile"
)

const (
	folderName = "hook"   // folder of all these files, in agentflow's folder
	queueName  = "queue"  // hooks append to it
	lockName   = "lock"   // held by the process that takes events or changes hooks
	missedName = "missed" // made by a hook that could not append
	// missedBeside is the same next to agentflow's folder, in case that cannot be written.
	missedBeside = "agentflow-missed"
)

const takeWait = 2 * time.Second

// Pending reports, with one stat, whether there are any events. dir is agentflow's folder in the
// git directory.
func Pending(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, folderName, queueName))
	return err == nil && info.Size() > 0
}

// Take passes all waiting events, oldest first, to use, and forgets them when use returns nil.
// After an error or a crash the next Take passes them again. damaged counts the lines that cannot
// be read, and the events that a hook could not write and only the reflog holds. Without events
// Take does not call use. If another process is taking events for more than two seconds, Take
// leaves them to it. ctx ends only the waiting.
func Take(ctx context.Context, dir string, use func(events []Event, damaged int) error) error {
	folder := filepath.Join(dir, folderName)
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := Hold(ctx, dir, func() error { return take(dir, use) }); err != nil {
		return fmt.Errorf("taking what hooks noted: %w", err)
	}
	return nil
}

// Hold calls use while no process takes events. If another process does so for more than two seconds, Hold
// does not call use.
func Hold(ctx context.Context, dir string, use func() error) error {
	folder := filepath.Join(dir, folderName)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	lock, err := filelock.Acquire(ctx, filepath.Join(folder, lockName), filelock.Self("hook", time.Now()), takeWait)
	if held := new(filelock.HeldError); errors.As(err, &held) {
		return nil
	}
	if err == nil {
		err = errors.Join(use(), lock.Release())
	}
	return err
}

// take repeats until no event is left, because a hook may have opened the queue before it was
// renamed, and written to it since.
func take(dir string, use func([]Event, int) error) error {
	for {
		parts, err := waitingParts(filepath.Join(dir, folderName))
		if err != nil {
			return err
		}
		missed := missedMarks(dir)
		var events []Event
		damaged := len(missed)
		for _, p := range parts {
			events, damaged = append(events, p.events...), damaged+p.damaged
		}
		if len(events)+damaged == 0 {
			return sweep(parts)
		}
		locate(filepath.Dir(dir), events)
		if err := use(events, damaged); err != nil {
			return err
		}
		for _, p := range parts {
			err = errors.Join(err, p.forget())
		}
		for _, mark := range missed {
			err = errors.Join(err, os.Remove(mark))
		}
		if err != nil {
			return err
		}
	}
}

// missedMarks returns the files that mark that a hook could not write an event.
func missedMarks(dir string) (found []string) {
	for _, path := range []string{filepath.Join(dir, folderName, missedName), filepath.Join(filepath.Dir(dir), missedBeside)} {
		if _, err := os.Lstat(path); err == nil {
			found = append(found, path)
		}
	}
	return found
}

// Missed reports whether, and when, a hook last failed to write an event that Take has not counted
// yet.
func Missed(dir string) (at time.Time, missed bool) {
	for _, mark := range missedMarks(dir) {
		if info, err := os.Stat(mark); err == nil && info.ModTime().After(at) {
			at, missed = info.ModTime(), true
		}
	}
	return at, missed
}

// settled must pass until no hook writes to a file any more. An unfinished line in it stays
// unfinished, and a renamed file can be removed.
const settled = time.Minute

// queuePart is a file of events: the queue itself, or one that was renamed to queue.SEQ.READ after
// its first READ bytes were used. SEQ is the time in ns. A rename is one step, so either all used
// events are forgotten or none.
type queuePart struct {
	path      string
	seq, from int64 // of the name; seq is 0 for the queue itself
	next      int64 // how far it has been read now
	modified  time.Time
	events    []Event
	damaged   int
}

// waitingParts reads the unused events from the queue and the renamed files, oldest
// first.
func waitingParts(folder string) ([]queuePart, error) {
	names, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var parts []queuePart
	for _, entry := range names {
		p := queuePart{path: filepath.Join(folder, entry.Name())}
		if entry.Name() != queueName {
			if _, err := fmt.Sscanf(entry.Name(), queueName+".%d.%d", &p.seq, &p.from); err != nil || p.name() != entry.Name() || p.seq <= 0 || p.from < 0 {
				continue
			}
		}
		if err := p.read(); err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	slices.SortFunc(parts, func(a, b queuePart) int {
		// The queue itself, whose seq is 0, comes last.
		return cmp.Compare(uint64(a.seq)-1, uint64(b.seq)-1) //nolint:gosec // neither is negative
	})
	return parts, nil
}

func (p queuePart) name() string { return fmt.Sprintf("%s.%d.%d", queueName, p.seq, p.from) }

// read reads the events after from. It leaves an unfinished line at the end for later, unless the
// file has settled.
func (p *queuePart) read() error {
	f, err := safefile.Open(p.path, safefile.NoLink)
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

// forget records in the file's name how far it has been used.
func (p queuePart) forget() error {
	if p.next == p.from {
		return nil
	}
	p.from = p.next
	for p.seq = cmp.Or(p.seq, time.Now().UnixNano()); ; p.seq++ {
		to := filepath.Join(filepath.Dir(p.path), p.name())
		if _, err := os.Lstat(to); errors.Is(err, fs.ErrNotExist) {
			return os.Rename(p.path, to)
		} else if err != nil {
			return err
		}
	}
}

// sweep removes the files that were renamed and last written so long ago that no hook can still
// have them open.
func sweep(parts []queuePart) (err error) {
	for _, p := range parts {
		if p.seq != 0 && time.Since(time.Unix(0, p.seq)) >= settled && time.Since(p.modified) >= settled {
			err = errors.Join(err, os.Remove(p.path))
		}
	}
	return err
}
