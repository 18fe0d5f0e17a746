//go:build linux || darwin

package proc

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// lookEvery spaces the listings of a run's processes while
// its agent lives, so that processes that later leave its session are known.
const lookEvery = 500 * time.Millisecond

// childProcesses finds and ends the processes of one run.
type childProcesses struct {
	tag   string
	agent *os.Process

	mu     sync.Mutex // guards family
	family *family
}

func newChildProcesses(agent *os.Process, tag string) (*childProcesses, error) {
	// The agent cannot be reaped yet, so this row is the agent's.
	r, err := readRow(agent.Pid)
	if err != nil {
		return nil, fmt.Errorf("reading the state of process %d: %w", agent.Pid, err)
	}
	sid, err := unix.Getsid(0)
	if err != nil {
		return nil, fmt.Errorf("reading our session: %w", err)
	}
	self := os.Getpid()
	return &childProcesses{tag: tag, agent: agent, family: newFamily(self, sid, orphanage(self), r.ident)}, nil
}

// watch updates the family at an interval until dead is closed.
func (c *childProcesses) watch(dead <-chan struct{}) {
	again := time.Tick(lookEvery)
	for {
		select {
		case <-dead:
			return
		case <-again:
			c.update()
		}
	}
}

// awaitExit returns when the agent has ended but is not reaped yet: its orphans
// have become our children, and the number of its session is not reused yet.
func (c *childProcesses) awaitExit() {
	awaitZombie(c.agent.Pid)
	c.update()
}

// update lists the processes of the run and reaps the dead ones.
func (c *childProcesses) update() (t table, members []row) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t = listing()
	members = c.family.look(t, func(r row) bool { return tagged(r.pid, c.tag) })
	for _, r := range c.family.reapable(t, members) {
		reap(r.ident)
	}
	return t, members
}

// look lists the living processes of the run that have to end, and the process
// groups with only such processes.
func (c *childProcesses) look() (living []row, whole []int) {
	t, members := c.update()
	members = withoutGits(t, members)
	living, whole = alive(members), groups(t, members)
	if len(living) == 0 && c.hidden(t) {
		whole = append(whole, c.agent.Pid)
	}
	return living, whole
}

func alive(members []row) []row {
	return slices.DeleteFunc(slices.Clone(members), func(r row) bool { return r.dead })
}

// hidden reports whether the agent's process group still exists although none
// of its processes was listed: in a chain of processes that each exit after
// starting the next, the processes change faster than a listing. The group is
// the agent's, because other processes in it would have been listed.
func (c *childProcesses) hidden(t table) bool {
	for _, r := range t {
		if r.pgid == c.agent.Pid && !r.dead {
			return false
		}
	}
	return unix.Kill(-c.agent.Pid, 0) == nil
}

// signal sends sig to the agent's process group.
func (c *childProcesses) signal(sig os.Signal) error {
	s, ok := sig.(syscall.Signal)
	if !ok {
		return fmt.Errorf("%v is no signal here", sig)
	}
	return unix.Kill(-c.agent.Pid, s)
}

func (c *childProcesses) end(ctx context.Context, grace time.Duration, dead <-chan struct{}) []Ended {
	t := terminator{look: c.look, silent: c.family.agent}
	out := t.run(ctx, grace)
	select {
	case <-dead:
	case <-time.After(killLimit): // unkillable: waiting in the kernel
	}
	return out
}

// EndTagged ends every process of this user with the tag in its environment,
// and their descendants: it asks them to end, waits for grace, and kills them.
// It never ends this process, its ancestors or, if this process has the tag
// itself, its children. It is for a run that lost its agentflow. For ctx see
// Process.End.
func EndTagged(ctx context.Context, tag string, grace time.Duration) []Ended {
	t := terminator{look: func() ([]row, []int) { return lookTagged(tag) }}
	return t.run(ctx, grace)
}

// Alive reports whether a process exists that EndTagged would end.
func Alive(tag string) bool {
	living, _ := lookTagged(tag)
	return len(living) > 0
}

// lookTagged lists the living processes with a tag and their descendants, and
// none for an empty tag.
func lookTagged(tag string) (living []row, whole []int) {
	t := listing()
	self := os.Getpid()
	skip := t.lineage(self)
	if os.Getenv(TagVar) == tag {
		own := map[int]bool{self: true}
		t.descendants(own, nil)
		for pid := range own {
			skip[pid] = true
		}
	}
	set := map[int]bool{}
	for pid := range t {
		if !skip[pid] && tagged(pid, tag) {
			set[pid] = true
		}
	}
	t.descendants(set, skip)
	members := withoutGits(t, t.rows(set))
	return alive(members), groups(t, members)
}

// exitOf returns how the agent ended.
func exitOf(state *os.ProcessState) Exit {
	status, ok := state.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() {
		return Exit{Code: 128 + int(status.Signal()), Signal: unix.SignalName(status.Signal())}
	}
	return Exit{Code: state.ExitCode()}
}

const (
	// killLimit limits the killing: a process that survives it is waiting in
	// the kernel, or belongs to another user.
	killLimit = 4 * time.Second
	// endPause is the time between two listings while processes end.
	endPause = 10 * time.Millisecond
)

// terminator ends processes that may start others meanwhile: it lists them,
// signals them, and lists them again until none is left.
type terminator struct {
	look   func() (living []row, whole []int)
	silent ident // ended like the others, but not reported
	found  map[ident]*target
	order  []*target // the victims in found, in order
}

type target struct {
	ident
	Ended
	failed bool // the last signal could not be sent
}

func (t *terminator) run(ctx context.Context, grace time.Duration) []Ended {
	t.found = map[ident]*target{}
	patience, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	left := t.repeat(patience, t.ask)
	if left {
		limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), killLimit)
		defer cancel()
		left = t.repeat(limit, t.kill)
	}
	var living []row
	if left {
		living, _ = t.look()
	}
	out := []Ended{}
	for _, v := range t.order {
		still := slices.ContainsFunc(living, func(r row) bool { return r.ident == v.ident })
		if v.ident != t.silent && !still && !v.failed {
			out = append(out, v.Ended)
		}
	}
	return out
}

// repeat signals the processes repeatedly until none is left, and then returns
// false. It returns true if ctx ends first.
func (t *terminator) repeat(ctx context.Context, signal func(living []row, whole []int)) (left bool) {
	pause := time.Tick(endPause)
	for {
		living, whole := t.look()
		if len(living)+len(whole) == 0 {
			return false
		}
		signal(living, whole)
		select {
		case <-ctx.Done():
			return true
		case <-pause:
		}
	}
}

// ask asks every process once to end.
func (t *terminator) ask(living []row, _ []int) {
	for _, r := range living {
		if t.found[r.ident] == nil {
			t.send(r, unix.SIGTERM)
		}
	}
}

// kill first stops the processes, because a stopped process starts no others.
// It kills a group as a whole, because a fork cannot escape that.
func (t *terminator) kill(living []row, whole []int) {
	for _, r := range living {
		t.send(r, unix.SIGSTOP)
	}
	for _, pgid := range whole {
		unix.Kill(-pgid, unix.SIGKILL)
	}
	for _, r := range living {
		t.send(r, unix.SIGKILL)
	}
}

// send signals one process and records it as a victim if it still exists.
func (t *terminator) send(r row, sig unix.Signal) {
	v := t.found[r.ident]
	var name string
	if v == nil {
		name = label(cmdline(r.pid), r.name)
	}
	err := signalOne(r.ident, sig)
	if sig == unix.SIGTERM && err == nil {
		signalOne(r.ident, unix.SIGCONT) // so that a stopped process can receive SIGTERM
	}
	if v == nil {
		if err == unix.ESRCH {
			return
		}
		v = &target{ident: r.ident, Ended: Ended{PID: r.pid, Command: name}}
		t.found[r.ident] = v
		t.order = append(t.order, v)
	}
	if err != unix.ESRCH {
		v.failed = err != nil
		v.Killed = v.Killed || err == nil && sig != unix.SIGTERM
	}
}
