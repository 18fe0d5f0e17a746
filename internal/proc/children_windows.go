package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// prepare makes the child start suspended, so that it cannot start processes
// before it is in its job, and in a process group that can receive CTRL_BREAK.
func prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_SUSPENDED,
	}
}

// childProcesses holds the job object of all processes of one run. The system
// ends them when the last handle of the job is closed, which also happens when
// this process is killed.
type childProcesses struct {
	agent *os.Process

	mu  sync.Mutex // guards job
	job job        // 0 after end
}

func newChildProcesses(agent *os.Process, tag string) (*childProcesses, error) {
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
	return &childProcesses{agent: agent, job: j}, nil
}

// watch does nothing, because no process leaves a job.
func (c *childProcesses) watch(<-chan struct{}) {}

// awaitExit does nothing, because reaping loses nothing.
func (c *childProcesses) awaitExit() {}

// signal sends CTRL_BREAK for an interrupt, because CTRL_C cannot be sent to
// one group.
func (c *childProcesses) signal(sig os.Signal) error {
	switch sig {
	case os.Interrupt, syscall.SIGTERM:
		return windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(c.agent.Pid))
	case os.Kill:
		return c.agent.Kill()
	}
	return fmt.Errorf("%v is no signal here", sig)
}

func (c *childProcesses) end(ctx context.Context, grace time.Duration, dead <-chan struct{}) []Ended {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.job == 0 {
		return []Ended{}
	}
	pid := uint32(c.agent.Pid)
	out := c.job.end(ctx, grace, pid, func() {
		windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, pid)
	})
	c.job.close()
	c.job = 0
	select {
	case <-dead:
	case <-time.After(killLimit):
	}
	return out
}

// EndTagged ends the processes of the run with this tag. On Windows a run has
// none after its agentflow has ended, because the system ends the job with it.
// While its agentflow lives, EndTagged ends the job after grace, without asking
// first.
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

// Alive reports whether a process of the run with this tag lives.
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

// exitOf returns how the agent ended. Windows has no signals.
func exitOf(state *os.ProcessState) Exit { return Exit{Code: state.ExitCode()} }

const (
	// killLimit limits the wait for terminated processes.
	killLimit = 4 * time.Second
	endPause  = 10 * time.Millisecond
)

// job is a handle of a Windows job object.
type job windows.Handle

// openJob creates the job of a tag, or opens it if it exists. Without a tag it
// always creates an unnamed job.
func openJob(tag string) (job, error) {
	var name *uint16
	if tag != "" {
		n, err := windows.UTF16PtrFromString(`Local\agentflow-run-` + strings.ReplaceAll(tag, `\`, "_"))
		if err != nil {
			return 0, err
		}
		name = n
	}
	h, err := windows.CreateJobObject(nil, name)
	return job(h), err
}

func (j job) close() { windows.CloseHandle(windows.Handle(j)) }

func (j job) endOnClose() error {
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	_, err := windows.SetInformationJobObject(windows.Handle(j), windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)))
	return err
}

func (j job) add(pid uint32) error {
	h, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, pid)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(h)
	return windows.AssignProcessToJobObject(windows.Handle(j), h)
}

// pids lists the processes in the job, at most 1,024 of them.
func (j job) pids() []uint32 {
	// JOBOBJECT_BASIC_PROCESS_ID_LIST of <winnt.h>.
	var list struct {
		assigned, count uint32
		ids             [1024]uintptr
	}
	err := windows.QueryInformationJobObject(windows.Handle(j), windows.JobObjectBasicProcessIdList,
		uintptr(unsafe.Pointer(&list)), uint32(unsafe.Sizeof(list)), nil)
	if err != nil && err != windows.ERROR_MORE_DATA {
		return nil
	}
	out := make([]uint32, 0, list.count)
	for _, id := range list.ids[:min(int(list.count), len(list.ids))] {
		out = append(out, uint32(id))
	}
	return out
}

// end asks the processes to end, waits for grace, and terminates the job. It
// does not report the process silent.
func (j job) end(ctx context.Context, grace time.Duration, silent uint32, ask func()) []Ended {
	out := []Ended{}
	names := func() {
		for _, pid := range j.pids() {
			if pid != silent && !slices.ContainsFunc(out, func(e Ended) bool { return e.PID == int(pid) }) {
				out = append(out, Ended{PID: int(pid), Command: image(pid)})
			}
		}
	}
	names()
	ask()
	j.await(ctx, grace)
	names()
	left := j.pids()
	for i := range out {
		out[i].Killed = slices.Contains(left, uint32(out[i].PID))
	}
	windows.TerminateJobObject(windows.Handle(j), 1)
	j.await(context.WithoutCancel(ctx), killLimit)
	left = j.pids()
	return slices.DeleteFunc(out, func(e Ended) bool { return slices.Contains(left, uint32(e.PID)) })
}

// await returns when the job is empty, after d, or when ctx ends.
func (j job) await(ctx context.Context, d time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	pause := time.Tick(endPause)
	for len(j.pids()) > 0 && ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-pause:
		}
	}
}

// image returns the name of the program that a process runs.
func image(pid uint32) string {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, pid)
	if err != nil {
		return "?"
	}
	defer windows.CloseHandle(h)
	buf := make([]uint16, windows.MAX_LONG_PATH)
	size := uint32(len(buf))
	if windows.QueryFullProcessImageName(h, 0, &buf[0], &size) != nil {
		return "?"
	}
	return label(nil, filepath.Base(windows.UTF16ToString(buf[:size])))
}

// resume resumes the only thread of a process that was started suspended.
func resume(pid uint32) error {
	shot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(shot)
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(shot, &entry); err == nil; err = windows.Thread32Next(shot, &entry) {
		if entry.OwnerProcessID != pid {
			continue
		}
		h, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID)
		if err != nil {
			return err
		}
		_, err = windows.ResumeThread(h)
		windows.CloseHandle(h)
		if err != nil {
			return err
		}
	}
	if err != windows.ERROR_NO_MORE_FILES {
		return err
	}
	return nil
}
