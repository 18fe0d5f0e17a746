//go:build linux || darwin

package proc

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"agentflow/internal/testing/randomtest"
)

// cast returns the processes of the tests: 1 is init, 50 is our shell, 100 is
// this program in the shell's session, and 200 is the agent, which created a
// new session.
func cast(more ...row) table {
	t := table{}
	for _, r := range append([]row{
		person(1, 0, 1, 1), person(50, 1, 50, 10), person(100, 50, 50, 20), person(200, 100, 200, 30),
	}, more...) {
		t[r.pid] = r
	}
	return t
}

func person(pid, ppid, sid int, start uint64) row {
	return row{ident: ident{pid, start}, ppid: ppid, pgid: sid, sid: sid}
}

func untagged(row) bool { return false }

func pids(rows []row) string {
	var out []int
	for _, r := range rows {
		out = append(out, r.pid)
	}
	slices.Sort(out)
	return fmt.Sprint(out)
}

func TestFamilyMembership(t *testing.T) {
	all := func(row) bool { return true }
	for _, test := range []struct {
		name   string
		first  []row // seen while the agent lives
		then   table // seen later
		tagged func(row) bool
		want   string
	}{
		{"children and theirs", nil, cast(person(201, 200, 200, 31), person(202, 201, 202, 31)), untagged, "[200 201 202]"},
		{"our other children", nil, cast(person(101, 100, 50, 40), person(102, 100, 102, 40), person(103, 102, 102, 40)), untagged, "[200]"},
		{"orphan in the agent's session", nil, cast(person(201, 100, 200, 31)), untagged, "[200 201]"},
		{"orphan in a session seen before", []row{person(201, 200, 201, 31)}, cast(person(202, 100, 201, 32)), untagged, "[200 202]"},
		{"session leader seen before, then orphaned", []row{person(201, 200, 201, 31)}, cast(person(201, 100, 201, 31)), untagged, "[200 201]"},
		{"the same id used again", []row{person(201, 200, 201, 31)}, cast(person(201, 100, 201, 99)), untagged, "[200]"},
		{"a session's number used again elsewhere", []row{person(201, 200, 201, 31)}, cast(person(201, 50, 201, 99), person(202, 201, 201, 99)), untagged, "[200]"},
		{"child older than its parent", nil, cast(person(201, 200, 201, 29)), untagged, "[200]"},
		{"tagged, anywhere", nil, cast(person(300, 1, 300, 35), person(301, 300, 300, 36)), func(r row) bool { return r.pid == 300 }, "[200 300 301]"},
		{"tagged before the agent was", nil, cast(person(300, 1, 300, 5)), all, "[200]"},
		{"ourselves, our ancestors and our session", nil, cast(person(51, 50, 50, 60), person(52, 51, 50, 61)), all, "[200]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFamily(100, 50, 100, ident{200, 30})
			f.look(cast(test.first...), untagged)
			if got := pids(f.look(test.then, test.tagged)); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestReapableTakesNoStatusFromOtherCode(t *testing.T) {
	died := func(r row) row { r.dead = true; return r }
	f := newFamily(100, 50, 100, ident{200, 30})
	f.look(cast(person(201, 200, 201, 31)), untagged)
	now := cast(
		died(person(200, 100, 200, 30)), // the agent: os/exec waits for it
		died(person(101, 100, 50, 40)),  // started by other code
		died(person(102, 100, 102, 40)), // the same, in a separate session
		died(person(201, 100, 201, 31)), // the run's, known
		died(person(203, 100, 202, 32)), // an orphan that only we can wait for
		died(person(204, 201, 202, 32)), // another's child
		person(205, 100, 201, 33),       // lives
	)
	if got := pids(f.reapable(now, f.look(now, untagged))); got != "[201 203]" {
		t.Errorf("got %s", got)
	}
}

func TestGroupsAreWhollyMembers(t *testing.T) {
	mixed := person(401, 400, 400, 5)
	stranger := person(402, 1, 400, 5)
	gone := person(502, 1, 500, 5)
	gone.dead = true
	whole := person(501, 200, 500, 5)
	members := []row{mixed, whole, person(601, 1, 1, 5)}
	table := table{401: mixed, 402: stranger, 501: whole, 502: gone, 601: members[2]}
	if got := groups(table, members); !slices.Equal(got, []int{500}) {
		t.Errorf("got %v", got)
	}
}

// TestFamilyNeverTouchesOurs checks that for any processes, the family never
// includes this process, an ancestor or our session, and includes the children
// of every member.
func TestFamilyNeverTouchesOurs(t *testing.T) {
	randomtest.Check(t, 5000, func(t *testing.T, rnd *rand.Rand) {
		const people = 12
		draw := func() table {
			out := cast()
			for pid := 201; pid < 201+people; pid++ {
				if rnd.IntN(2) == 0 {
					parent := randomtest.Pick(rnd, 1, 50, 100, 200, 201, 203, 205, 207, 209)
					session := randomtest.Pick(rnd, 50, 200, 201, 202, pid)
					out[pid] = person(pid, parent, session, 25+rnd.Uint64N(16))
				}
			}
			return out
		}
		f := newFamily(100, 50, 100, ident{200, 30})
		for range 3 {
			now := draw()
			carries := rnd.IntN(2) == 0
			members := f.look(now, func(r row) bool { return carries && r.pid%2 == 0 })
			in := map[int]bool{}
			for _, m := range members {
				in[m.pid] = true
				if m.sid == 50 || m.pid == 1 || m.start < 30 {
					t.Fatalf("%+v is a member, carries %v, of %+v", m, carries, now)
				}
			}
			for _, r := range now {
				if in[r.ppid] && !in[r.pid] && r.sid != 50 && r.start >= now[r.ppid].start {
					t.Fatalf("%+v is none though its parent is one, carries %v, of %+v", r, carries, now)
				}
			}
		}
	})
}
