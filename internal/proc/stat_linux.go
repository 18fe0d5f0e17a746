package proc

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
)

// parseStat reads a line of /proc/PID/stat (proc_pid_stat(5)). The second
// field is the program's name in parentheses; it may itself hold parentheses,
// spaces and newlines, so the last closing parenthesis ends it.
func parseStat(line []byte) (row, error) {
	open, end := bytes.IndexByte(line, '('), bytes.LastIndexByte(line, ')')
	if open < 1 || end < open {
		return row{}, errors.New("no program name in it")
	}
	r := row{name: string(line[open+1 : end])}
	var err error
	if r.pid, err = strconv.Atoi(string(bytes.TrimSpace(line[:open]))); err != nil {
		return row{}, fmt.Errorf("process id: %w", err)
	}
	fields := bytes.Fields(line[end+1:]) // fields[0] is field 3, the state
	if len(fields) < 20 {
		return row{}, fmt.Errorf("%d fields after the name, at least 20 wanted", len(fields))
	}
	for _, f := range []struct {
		to *int
		at int
	}{{&r.ppid, 4}, {&r.pgid, 5}, {&r.sid, 6}} {
		if *f.to, err = strconv.Atoi(string(fields[f.at-3])); err != nil {
			return row{}, fmt.Errorf("field %d: %w", f.at, err)
		}
	}
	threads, err := strconv.Atoi(string(fields[20-3]))
	if err != nil {
		return row{}, fmt.Errorf("field 20: %w", err)
	}
	if r.start, err = strconv.ParseUint(string(fields[22-3]), 10, 64); err != nil {
		return row{}, fmt.Errorf("field 22: %w", err)
	}
	// A process whose first thread has ended while others go on is a zombie
	// with threads: it lives.
	state := fields[0][0]
	r.dead = state == 'X' || state == 'x' || state == 'Z' && threads <= 1
	return r, nil
}
