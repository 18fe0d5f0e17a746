//go:build linux || darwin

package proc

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"maps"
	"slices"
)

// family decides which processes belong to one run. It remembers the members,
// so it has to see tables while the agent lives as well as afterwards.
type family struct {
	self, selfSID int // this program
	reaper        int // the new parent of the run's orphans
	agent         ident
	known         map[ident]bool // members at the last look
	sessions      map[int]bool   // their sessions; never this process's session
}

func newFamily(self, selfSID, reaper int, agent ident) *family {
	return &family{
		self: self, selfSID: selfSID, reaper: reaper, agent: agent,
		known:    map[ident]bool{agent: true},
		sessions: map[int]bool{agent.pid: true},
	}
}

// look returns the members in t, including the agent and dead processes. tagged
// reports whether a process carries the run's tag.
func (f *family) look(t table, tagged func(row) bool) []row {
	skip := t.lineage(f.self)
	set := map[int]bool{}
	for pid, r := range t {
		// A process cannot enter an existing session, and the agent began a new
		// one. So a process in our session does not belong to the run, even if
		// it has the run's tag.
		if r.sid == f.selfSID {
			skip[pid] = true
		}
		if skip[pid] || r.start < f.agent.start {
			continue
		}
		if f.known[r.ident] || f.orphan(r) || tagged(r) {
			set[pid] = true
		}
	}
	t.descendants(set, skip)
	members := t.rows(set)
	f.remember(members)
	return members
}

// orphan recognizes a process by its session at the time when it lost its
// parent. The leader of a session is excluded, because its id may have been
// reused.
func (f *family) orphan(r row) bool {
	return r.ppid == f.reaper && r.pid != r.sid && f.sessions[r.sid]
}

func (f *family) remember(members []row) {
	clear(f.known)
	clear(f.sessions)
	for _, r := range members {
		f.known[r.ident] = true
		f.sessions[r.sid] = true
	}
	f.sessions[f.agent.pid] = true
}

// reapable returns our dead children that can be reaped without taking an exit
// status from other code of this program that waits for it. A child of such
// code is in our session, or leads a session if it was started that way.
func (f *family) reapable(t table, members []row) []row {
	var out []row
	for _, r := range t {
		if !r.dead || r.ppid != f.self || r.ident == f.agent || r.sid == f.selfSID {
			continue
		}
		member := slices.ContainsFunc(members, func(m row) bool { return m.ident == r.ident })
		if member || r.sid != r.pid {
			out = append(out, r)
		}
	}
	return out
}

// groups returns the process groups with only members as living processes. They
// can be killed as a whole, which a fork cannot escape.
func groups(t table, members []row) []int {
	in := map[int]bool{}
	for _, r := range members {
		in[r.pid] = true
	}
	mixed := map[int]bool{}
	for _, r := range t {
		if !in[r.pid] && !r.dead {
			mixed[r.pgid] = true
		}
	}
	var out []int
	for _, r := range members {
		if r.pgid > 1 && !r.dead && !mixed[r.pgid] && !slices.Contains(out, r.pgid) {
			out = append(out, r.pgid)
		}
	}
	return out
}

// ident distinguishes a process from a later one with the same id.
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

// table is a listing of all processes by id. It is not atomic.
type table map[int]row

// descendants adds to set all descendants of its members, except the processes
// in skip and their descendants.
func (t table) descendants(set, skip map[int]bool) {
	children := make(map[int][]int, len(t))
	for pid, r := range t {
		children[r.ppid] = append(children[r.ppid], pid)
	}
	queue := slices.Collect(maps.Keys(set))
	for len(queue) > 0 {
		parent := queue[0]
		queue = queue[1:]
		for _, pid := range children[parent] {
			// A child older than its parent had another parent, and the
			// parent's id was reused while the table was read.
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

// rows returns the members of set in the order in which they started.
func (t table) rows(set map[int]bool) []row {
	out := make([]row, 0, len(set))
	for pid := range set {
		if r, ok := t[pid]; ok {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b row) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.pid, b.pid)) })
	return out
}

// holdsTag looks for the tag in an environment with entries that end in NUL.
func holdsTag(environ []byte, tag string) bool {
	want := []byte(TagVar + "=" + tag)
	for entry := range bytes.SplitSeq(environ, []byte{0}) {
		if bytes.Equal(entry, want) {
			return true
		}
	}
	return false
}

// splitArgs splits the result of macOS's sysctl KERN_PROCARGS2: the number of
// arguments (32 bits in native byte order), the program's path, NULs up to the
// first argument, the arguments and the environment, each ended by a NUL. If
// the format differs, it returns the part that fits.
func splitArgs(raw []byte) (argv, environ []byte) {
	if len(raw) < 4 {
		return nil, nil
	}
	count := binary.NativeEndian.Uint32(raw)
	rest := raw[4:]
	path := bytes.IndexByte(rest, 0)
	if path < 0 {
		return nil, nil
	}
	rest = bytes.TrimLeft(rest[path:], "\x00")
	used := 0
	for range count {
		n := bytes.IndexByte(rest[used:], 0)
		if n < 0 {
			return rest, nil
		}
		used += n + 1
	}
	return rest[:used], rest[used:]
}
