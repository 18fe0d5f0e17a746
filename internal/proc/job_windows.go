package proc

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

const (
	// killLimit bounds the wait for processes that were terminated.
	killLimit = 4 * time.Second
	endPause  = 10 * time.Millisecond
)

// job is a handle of a Windows job object.
type job windows.Handle

// openJob makes the job of a tag, or opens it if it exists. Without a tag the
// job has no name and is always a new one.
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

// end asks, waits for grace, and terminates the job. silent is not named.
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
	limit := time.NewTimer(d)
	defer limit.Stop()
	pause := time.NewTicker(endPause)
	defer pause.Stop()
	for len(j.pids()) > 0 {
		select {
		case <-limit.C:
			return
		case <-ctx.Done():
			return
		case <-pause.C:
		}
	}
}

// image names the program a process runs.
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

// resume lets a process run that was started suspended: its threads, of which
// there is one.
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
