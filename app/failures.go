package app

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"agentflow/app/api"
	"agentflow/internal/safefile"
)

// failureLog keeps the last failures of operations that continued, for status and doctor. It writes to the first of its
// folders that accepts them. Without a folder it keeps nothing.
type failureLog struct{ dirs []string }

const failuresFile = "failures.jsonl"

// keepFailures limits the bytes of the log before it is rotated. The previous file is kept with the suffix ".1".
const keepFailures = 64 << 10

// KeepFresh counts the latest failures that are not recorded again.
const KeepFresh = 10

// add appends failures, one per line. Concurrent commands append whole lines.
func (l failureLog) add(now time.Time, command string, lines []string) error {
	if len(lines) == 0 {
		return nil
	}
	recent, _ := l.Last(KeepFresh)
	var data []byte
	for _, line := range lines {
		if slices.ContainsFunc(recent, func(f api.Failure) bool { return f.What == line }) {
			continue // recorded already: a lasting problem must not push others out
		}
		record, err := json.Marshal(api.Failure{Time: now.UTC().Truncate(time.Second), Command: command, What: line})
		if err != nil {
			return fmt.Errorf("recording a failure: %w", err)
		}
		data = append(append(data, record...), '\n')
	}
	if data == nil {
		return nil
	}
	var errs []error
	for i, dir := range l.dirs {
		if dir == "" {
			continue
		}
		if _, err := os.Stat(filepath.Dir(dir)); err != nil && i == 0 {
			errs = append(errs, err) // do not recreate a git directory that was removed
			continue
		}
		err := os.MkdirAll(dir, 0o700)
		if err == nil {
			err = safefile.AppendBounded(filepath.Join(dir, failuresFile), data, keepFailures)
		}
		if err == nil {
			return nil
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// Last returns the newest n failures, oldest first. It skips torn lines.
func (l failureLog) Last(n int) ([]api.Failure, error) {
	var all []api.Failure
	for _, path := range l.files() {
		f, err := safefile.Open(path, safefile.NoLink)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("reading recorded failures: %w", err)
		}
		scan := bufio.NewScanner(io.LimitReader(f, 4*keepFailures))
		scan.Buffer(nil, 1<<20)
		for scan.Scan() {
			var one api.Failure
			if json.Unmarshal(scan.Bytes(), &one) == nil {
				all = append(all, one)
			}
		}
		f.Close()
	}
	slices.SortStableFunc(all, func(a, b api.Failure) int { return a.Time.Compare(b.Time) })
	return all[max(0, len(all)-n):], nil
}

// Clear removes all recorded failures.
func (l failureLog) Clear() error {
	var errs []error
	for _, path := range l.files() {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
			errs = append(errs, fmt.Errorf("clearing recorded failures: %w", err))
		}
	}
	return errors.Join(errs...)
}

func (l failureLog) files() []string {
	var files []string
	for _, dir := range l.dirs {
		if dir != "" {
			files = append(files, filepath.Join(dir, failuresFile+".1"), filepath.Join(dir, failuresFile))
		}
	}
	return files
}
