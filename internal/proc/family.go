//go:build linux || darwin

package proc

import "slices"

// family decides which processes belong to one run. It remembers what it saw,
// so it is shown a table while the agent lives as well as afterwards.
type family struct {
	self, selfSID int // this program
	reaper        int // the process that orphans of the run go to
	agent         ident
	known         map[ident]bool // members at the last look
	sessions      map[int]bool   // their sessions; never our own
}

func newFamily(self, selfSID, reaper int, agent ident) *family {
	return &family{
		self: self, selfSID: selfSID, reaper: reaper, agent: agent,
		known:    map[ident]bool{agent: true},
		sessions: map[int]bool{agent.pid: true},
	}
}

// look returns the members in t, the agent among them, dead ones included.
// tagged says whether a process carries the run's tag.
func (f *family) look(t table, tagged func(row) bool) []row {
	skip := t.lineage(f.self)
	set := map[int]bool{}
	for pid, r := range t {
		// Nobody can enter a session from outside, and the agent began one of
		// its own: what is in our session is not of the run, whatever it says.
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

// orphan recognises a process by the session it was in when it lost its
// parent. A session's leader is left out: its id may be a used one.
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

// reapable returns the dead children of ours that can be reaped without taking
// an exit status from other code of this program that waits for it. Such a
// child is in our own session, or leads one when it was started that way.
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

// groups returns the process groups whose living processes are all members, so
// that they can be killed as a whole: a fork cannot slip out of that.
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
