package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/windows"
)

// prepare starts the child suspended, so that it cannot start anything before
// it is in its job, and in a group that can be sent CTRL_BREAK.
func prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_SUSPENDED,
	}
}

// kin holds the job object that all processes of one run are in. The system
// ends them when its last handle is closed, so also when we are killed.
type kin struct {
	agent *os.Process

	mu  sync.Mutex // guards job
	job job        // 0 after end
}

func newKin(agent *os.Process, tag string) (*kin, error) {
	j, err := openJob(tag)
	if err != nil {
		return nil, fmt.Errorf("making a job object: %w", err)
	}
	if err := errors.Join(j.endOnClose(), j.add(uint32(agent.Pid))); err != nil {
		j.close()
		return nil, fmt.Errorf("putting process %d into a job: %w", agent.Pid, err)
	}
	if err := resume(uint32(agent.Pid)); err != nil {
		j.close()
		return nil, fmt.Errorf("resuming process %d: %w", agent.Pid, err)
	}
	return &kin{agent: agent, job: j}, nil
}

// watch has nothing to do: nothing leaves a job.
func (k *kin) watch(<-chan struct{}) {}

// awaitExit has nothing to do: reaping loses nothing.
func (k *kin) awaitExit() {}

// signal sends CTRL_BREAK for an interrupt; CTRL_C cannot go to one group.
func (k *kin) signal(sig os.Signal) error {
	switch sig {
	case os.Interrupt, syscall.SIGTERM:
		return windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(k.agent.Pid))
	case os.Kill:
		return k.agent.Kill()
	}
	return fmt.Errorf("%v is no signal here", sig)
}

func (k *kin) end(ctx context.Context, grace time.Duration, dead <-chan struct{}) []Ended {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.job == 0 {
		return []Ended{}
	}
	pid := uint32(k.agent.Pid)
	out := k.job.end(ctx, grace, pid, func() {
		windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, pid)
	})
	k.job.close()
	k.job = 0
	select {
	case <-dead:
	case <-time.After(killLimit):
	}
	return out
}

// EndTagged ends what is left of the run with this tag. On Windows that is
// nothing once its agentflow has ended, for the system ends the job with it;
// while it lives, its job is ended after grace, without a request.
func EndTagged(ctx context.Context, tag string, grace time.Duration) []Ended {
	if tag == "" {
		return nil
	}
	j, err := openJob(tag)
	if err != nil {
		return nil
	}
	defer j.close()
	return j.end(ctx, grace, 0, func() {})
}

// Alive tells whether a process of the run with this tag lives.
func Alive(tag string) bool {
	if tag == "" {
		return false
	}
	j, err := openJob(tag)
	if err != nil {
		return false
	}
	defer j.close()
	return len(j.pids()) > 0
}

// exitOf reads how the agent ended. Windows has no signals.
func exitOf(state *os.ProcessState) Exit { return Exit{Code: state.ExitCode()} }
