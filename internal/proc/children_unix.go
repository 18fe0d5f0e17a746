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

// lookEvery is how often the processes of a run are listed while its agent
// lives, so that those that later leave its session are known.
const lookEvery = 500 * time.Millisecond

// childProcesses finds and ends the processes of one run.
type childProcesses struct {
	tag   string
	agent *os.Process

	mu     sync.Mutex // guards family
	family *family
}

func newChildProcesses(agent *os.Process, tag string) (*childProcesses, error) {
	// The agent cannot be reaped yet, so this is its row and no other's.
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

// watch looks again and again until dead is closed.
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

// awaitExit returns when the agent has ended but is not reaped yet: its
// orphans have come to us, and its session's number cannot be anybody else's.
func (c *childProcesses) awaitExit() {
	awaitZombie(c.agent.Pid)
	c.update()
}

// update lists the processes of the run, and reaps the dead ones.
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

// look lists the living processes of the run that are to end, and the process
// groups that are wholly theirs.
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

// hidden says whether the agent's process group lives on though none of its
// processes was listed: a chain of processes, each gone once it has started the next, is
// faster than a listing. A group of strangers would have been listed.
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
	case <-time.After(killLimit): // unkillable: in the kernel's hands
	}
	return out
}

// EndTagged ends every process of this user whose environment holds the tag, and
// their descendants: it asks, waits for grace, and kills. Never
// this process, its ancestors or, when it carries the tag itself, its children.
// It is for a run whose agentflow is gone; ctx as for Process.End.
func EndTagged(ctx context.Context, tag string, grace time.Duration) []Ended {
	t := terminator{look: func() ([]row, []int) { return lookTagged(tag) }}
	return t.run(ctx, grace)
}

// Alive says whether a process lives that EndTagged would end.
func Alive(tag string) bool {
	living, _ := lookTagged(tag)
	return len(living) > 0
}

// lookTagged lists the living processes with a tag and their descendants; none
// have the empty one.
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

// exitOf reads how the agent ended.
func exitOf(state *os.ProcessState) Exit {
	status, ok := state.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() {
		return Exit{Code: 128 + int(status.Signal()), Signal: unix.SignalName(status.Signal())}
	}
	return Exit{Code: state.ExitCode()}
}

const (
	// killLimit bounds the killing: a process that outlives it is in the kernel's
	// hands, or another user's.
	killLimit = 4 * time.Second
	// endPause is the time between two looks while processes end.
	endPause = 10 * time.Millisecond
)

// terminator ends processes that may start others meanwhile: it lists them,
// signals them, and lists them again until none is left.
type terminator struct {
	look   func() (living []row, whole []int)
	silent ident // ended like the others, and not named
	found  map[ident]*victim
	order  []*victim // of found
}

type victim struct {
	ident
	Ended
	failed bool // the last signal could not be sent
}

func (t *terminator) run(ctx context.Context, grace time.Duration) []Ended {
	t.found = map[ident]*victim{}
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

// repeat signals the processes again and again until none is left, which is
// false, or ctx has ended.
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

// kill stops the processes first, as a stopped one starts nothing more. A
// group is killed as a whole because a fork cannot slip out of that.
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

// send signals one process and notes it as a victim unless it was gone.
func (t *terminator) send(r row, sig unix.Signal) {
	v := t.found[r.ident]
	var name string
	if v == nil {
		name = label(cmdline(r.pid), r.name)
	}
	err := signalOne(r.ident, sig)
	if sig == unix.SIGTERM && err == nil {
		signalOne(r.ident, unix.SIGCONT) // a stopped process cannot hear the request
	}
	if v == nil {
		if err == unix.ESRCH {
			return
		}
		v = &victim{ident: r.ident, Ended: Ended{PID: r.pid, Command: name}}
		t.found[r.ident] = v
		t.order = append(t.order, v)
	}
	if err != unix.ESRCH {
		v.failed = err != nil
		v.Killed = v.Killed || err == nil && sig != unix.SIGTERM
	}
}
