package undo

import (
	"errors"
	"strconv"
	"strings"

	"agentflow/memory"
)

// errNoList says that the output is not a list of changes.
var errNoList = errors.New("git answered in a form that cannot be read")

// readRawNumstat reads what git diff-index --raw --numstat -z prints: for each
// path ":MODE MODE ID ID STATUS" NUL path NUL, with two paths for a rename,
// and then for each "ADDED TAB DELETED TAB path" NUL, where a rename's paths
// follow an empty one.
func readRawNumstat(text string) ([]memory.Change, error) {
	var out []memory.Change
	at := map[string]int{}
	fields := strings.Split(strings.TrimSuffix(text, "\x00"), "\x00")
	next := func() string {
		if len(fields) == 0 {
			return ""
		}
		f := fields[0]
		fields = fields[1:]
		return f
	}
	for len(fields) > 0 && fields[0] != "" {
		head := next()
		if strings.HasPrefix(head, ":") {
			status := head[strings.LastIndexByte(head, ' ')+1:]
			if status == "" {
				return nil, errNoList
			}
			c := memory.Change{Status: memory.Status(status[0]), Path: next()}
			if c.Status == memory.StatusRenamed || c.Status == memory.StatusCopied {
				c.OldPath, c.Path = c.Path, next()
			}
			at[c.Path] = len(out)
			out = append(out, c)
			continue
		}
		counts := strings.SplitN(head, "\t", 3)
		if len(counts) != 3 {
			return nil, errNoList
		}
		path := counts[2]
		if path == "" {
			next()
			path = next()
		}
		i, known := at[path]
		if !known {
			return nil, errNoList
		}
		c := &out[i]
		var errA, errD error
		c.Added, errA = strconv.Atoi(counts[0])
		c.Deleted, errD = strconv.Atoi(counts[1])
		c.Counted = errA == nil && errD == nil
	}
	return out, nil
}
