//go:build unix

package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"agentflow/gitwatch"
)

// measure returns a row of the table.
func measure(t tree, binary string, rounds int) ([]float64, error) {
	var rows [][]float64
	for i := range rounds + 1 {
		row, err := round(t, binary)
		if err != nil {
			return nil, err
		}
		if i > 0 { // the first round warms up
			rows = append(rows, row)
		}
	}
	return medians(rows), nil
}

// round measures everything once, each together with git status.
func round(t tree, binary string) ([]float64, error) {
	dir := filepath.Join(t.dir, ".git", "bench-run")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	repo, err := gitwatch.Open(ctx, t.dir)
	if err != nil {
		return nil, err
	}
	var before json.RawMessage
	compare := func() error {
		now := time.Now()
		set := repo.Compare(ctx, before, gitwatch.Evidence{Dir: dir, Started: now, Ended: now})
		if n := len(set.Uncommitted.Items); n > 0 || set.Uncommitted.Unread != "" {
			return fmt.Errorf("a run that did nothing has %d changes: %s", n, set.Uncommitted.Unread)
		}
		return nil
	}
	err0 := t.chill(binary)
	status1, err1 := t.status()
	first, err2 := clock(func() (err error) {
		before, err = repo.Snapshot(ctx, dir, time.Time{}, nil)
		return err
	})
	second, err3 := clock(compare)
	status2, err4 := t.status()
	err5 := t.rewriteIndex()
	moved, err6 := clock(compare)
	status3, err7 := t.status()
	err9 := t.chill(binary)
	whole, err8 := t.process(binary, "run", "-q", "--agent", "command", "Look at the clock", "--", "true")
	err = cmp.Or(err0, err1, err2, t.holds(before), err3, err4, err5, err6, err7, err9, err8)
	return []float64{status2.ms, first / status1.ms, second / status2.ms, moved / status3.ms, whole.ms / (status1.ms + status2.ms), whole.mb}, err
}

// holds checks that a snapshot has seen the changes of the tree.
func (t tree) holds(raw json.RawMessage) error {
	var s struct {
		Dirty  []json.RawMessage `json:"dirty"`
		Unread []string          `json:"unread"`
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		return err
	}
	if len(s.Dirty) != t.dirty || len(s.Unread) > 0 {
		return fmt.Errorf("a snapshot lists %d paths, %d unread, and there are %d", len(s.Dirty), len(s.Unread), t.dirty)
	}
	return nil
}

// took is the time and memory of one process.
type took struct{ ms, mb float64 }

func (t tree) status() (took, error) {
	return t.process("git", "--no-optional-locks", "status", "--porcelain")
}

func (t tree) process(program string, args ...string) (took, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = t.dir, io.Discard, os.Stderr
	ms, err := clock(cmd.Run)
	if err != nil {
		return took{}, fmt.Errorf("%s: %w", cmd, err)
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return took{ms, float64(usage.Maxrss) / 1024}, nil // Maxrss is in kilobytes on Linux
}

func clock(do func() error) (ms float64, err error) {
	start := time.Now()
	err = do()
	return time.Since(start).Seconds() * 1000, err
}

// medians returns the medians of the columns.
func medians(rows [][]float64) []float64 {
	out := make([]float64, len(rows[0]))
	for i := range out {
		var column []float64
		for _, row := range rows {
			column = append(column, row[i])
		}
		slices.Sort(column)
		out[i] = column[len(column)/2]
	}
	return out
}
