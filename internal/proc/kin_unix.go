//go:build linux || darwin

package proc

import (
	"context"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// lookEvery is how often the processes of a run are listed while its agent
// lives, so that those that later leave its session are known.
const lookEvery = 500 * time.Millisecond

// kin finds and ends the processes of one run.
type kin struct {
	tag   string
	agent *os.Process

	mu     sync.Mutex // guards family
	family *family
}

func newKin(agent *os.Process, tag string) (*kin, error) {
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
	return &kin{tag: tag, agent: agent, family: newFamily(self, sid, orphanage(self), r.ident)}, nil
}

// watch looks again and again until dead is closed.
func (k *kin) watch(dead <-chan struct{}) {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		select {
		case <-dead:
			return
		case <-ticker.C:
			k.look()
		}
	}
}

// awaitExit returns when the agent has ended but is not reaped yet: its
// orphans have come to us, and its session's number cannot be anybody else's.
func (k *kin) awaitExit() {
	awaitZombie(k.agent.Pid)
	k.look()
}

// look lists the living processes of the run besides the agent, and the
// process groups that are wholly theirs. It reaps what has died.
func (k *kin) look() (living []row, whole []int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	t := listing()
	members := k.family.look(t, func(r row) bool { return tagged(r.pid, k.tag) })
	for _, r := range k.family.reapable(t, members) {
		reap(r.ident)
	}
	for _, r := range members {
		if !r.dead {
			living = append(living, r)
		}
	}
	whole = groups(t, members)
	if len(living) == 0 && k.hidden(t) {
		whole = append(whole, k.agent.Pid)
	}
	return living, whole
}

// hidden tells whether the agent's process group lives on though none of it was
// listed: a chain of processes, each gone once it has started the next, is
// faster than a listing. A group of strangers would have been listed.
func (k *kin) hidden(t table) bool {
	for _, r := range t {
		if r.pgid == k.agent.Pid && !r.dead {
			return false
		}
	}
	return unix.Kill(-k.agent.Pid, 0) == nil
}

// signal sends sig to the agent's process group.
func (k *kin) signal(sig os.Signal) error {
	s, ok := sig.(syscall.Signal)
	if !ok {
		return fmt.Errorf("%v is no signal here", sig)
	}
	return unix.Kill(-k.agent.Pid, s)
}

func (k *kin) end(ctx context.Context, grace time.Duration, dead <-chan struct{}) []Ended {
	q := quest{look: k.look, silent: k.family.agent}
	out := q.run(ctx, grace)
	select {
	case <-dead:
	case <-time.After(killLimit): // unkillable: in the kernel's hands
	}
	return out
}

// EndTagged ends every process of this user whose environment holds the tag,
// and what descends from those: it asks, waits for grace, and kills. Never
// this process, its ancestors or, when it carries the tag itself, its children.
// It is for a run whose agentflow is gone; ctx as for Process.End.
func EndTagged(ctx context.Context, tag string, grace time.Duration) []Ended {
	if tag == "" {
		return nil
	}
	q := quest{look: func() ([]row, []int) { return lookTagged(tag) }}
	return q.run(ctx, grace)
}

// Alive tells whether a process lives that EndTagged would end.
func Alive(tag string) bool {
	if tag == "" {
		return false
	}
	living, _ := lookTagged(tag)
	return len(living) > 0
}

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
	members := t.rows(set)
	for _, r := range members {
		if !r.dead {
			living = append(living, r)
		}
	}
	return living, groups(t, members)
}

// exitOf reads how the agent ended.
func exitOf(state *os.ProcessState) Exit {
	status, ok := state.Sys().(syscall.WaitStatus)
	if ok && status.Signaled() {
		return Exit{Code: 128 + int(status.Signal()), Signal: unix.SignalName(status.Signal())}
	}
	return Exit{Code: state.ExitCode()}
}
