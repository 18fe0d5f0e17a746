//go:build linux || darwin

package proc

import "sort"

// ident tells a process from a later one with the same id.
type ident struct {
	pid   int
	start uint64 // Linux: clock ticks since boot; macOS: microseconds since 1970
}

// row is one process as the system lists it.
type row struct {
	ident
	ppid, pgid, sid int
	dead            bool // ended, waiting to be reaped
	name            string
}

// table is a listing of all processes by id. It is not taken in one instant.
type table map[int]row

// descendants adds to set all that descend from its members. Whatever is in
// skip is left out, with what descends from it.
func (t table) descendants(set, skip map[int]bool) {
	children := make(map[int][]int, len(t))
	for pid, r := range t {
		children[r.ppid] = append(children[r.ppid], pid)
	}
	queue := make([]int, 0, len(set))
	for pid := range set {
		queue = append(queue, pid)
	}
	for len(queue) > 0 {
		parent := queue[0]
		queue = queue[1:]
		for _, pid := range children[parent] {
			// A child older than its parent had another parent, whose id
			// was used again while the table was read.
			if set[pid] || skip[pid] || t[pid].start < t[parent].start {
				continue
			}
			set[pid] = true
			queue = append(queue, pid)
		}
	}
}

// lineage returns pid and its ancestors.
func (t table) lineage(pid int) map[int]bool {
	set := map[int]bool{}
	for pid > 0 && !set[pid] {
		set[pid] = true
		pid = t[pid].ppid
	}
	return set
}

// rows returns the members of set in the order in which they were started.
func (t table) rows(set map[int]bool) []row {
	out := make([]row, 0, len(set))
	for pid := range set {
		if r, ok := t[pid]; ok {
			out = append(out, r)
		}
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].start != out[j].start {
			return out[i].start < out[j].start
		}
		return out[i].pid < out[j].pid
	})
	return out
}
