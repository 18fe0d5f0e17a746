package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"agentflow/internal/testing/labtest"
)

// TestFloodOfOutput: two hundred megabytes of output pass through, whether
// the agent speaks a protocol, is any program, or has no end of a line.
func TestFloodOfOutput(t *testing.T) {
	for name, args := range map[string][]string{
		"protocol": {"run", "-q", "flood"},
		"program":  {"run", "-q", "--agent", "command", "flood", "--", "sh", "-c", `yes "The token in the key file was read." | head -c 200000000; touch ran; echo; echo "<save_memory>After the flood.</save_memory>"`},
		"one line": {"run", "-q", "--agent", "command", "flood", "--", "sh", "-c", `head -c 200000000 /dev/zero | tr '\0' x; touch ran; echo; echo "<save_memory>After the flood.</save_memory>"`},
		"stderr":   {"run", "-q", "--agent", "command", "flood", "--", "sh", "-c", `yes "The token in the key file was read." | head -c 200000000 >&2; touch ran; echo "<save_memory>After the flood.</save_memory>"`},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, "flood 200MB\ntouch ran\nsay \"<save_memory>After the flood.</save_memory>\"\n")
			cmd := l.Command(args...)
			var out, errs counter
			cmd.Stdout, cmd.Stderr = &out, &errs
			if err := cmd.Run(); err != nil {
				t.Fatal(err)
			}
			usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
			t.Logf("peak %d MB, %v of CPU", usage.Maxrss>>10, cmd.ProcessState.UserTime())
			if usage.Maxrss > 100<<10 {
				t.Errorf("agentflow took %d MB", usage.Maxrss>>10)
			}
			if name != "protocol" && out+errs < 200_000_000 {
				t.Errorf("of the output %d bytes came through", out+errs)
			}
			if _, err := os.Stat(filepath.Join(l.Repo, "ran")); err != nil {
				t.Error("the agent did not come to its end")
			}
			run := l.Runs()[0]
			if run.Outcome != "ok" || len(run.Memories) != 1 || run.Memories[0].Text != "After the flood." {
				t.Errorf("recorded %+v", run)
			}
			if entries := l.Entries(); len(entries) != 1 {
				t.Errorf("%d entries", len(entries))
			}
		})
	}
}

// counter counts the bytes written to it.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// TestNoSocketIsOpened checks the open files of agentflow while its agent
// works, and runs it without any network if possible.
func TestNoSocketIsOpened(t *testing.T) {
	l := newLab(t, "write a.txt \"a\\n\"\ntouch here\nwait go\nsay done\n")
	cmd := l.Command("run", "-q", "Look around")
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	if err := cmd.Start(); err != nil {
		t.Logf("with the network there, as one without cannot be made: %v", err)
		cmd = exec.Command(cmd.Path, cmd.Args[1:]...)
		cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = l.Repo, l.Env, &said, &said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
	}
	labtest.Await(t, "the agent to start", func() bool {
		_, err := os.Stat(filepath.Join(l.Repo, "here"))
		return err == nil
	})
	for _, file := range openFiles(t, cmd.Process.Pid) {
		if strings.HasPrefix(file, "socket:") {
			t.Errorf("agentflow has %s open", file)
		}
	}
	l.Write("go", "")
	if err := cmd.Wait(); err != nil || len(l.Entries()) != 1 {
		t.Fatalf("run: %v\n%s", err, said.String())
	}
}

// openFiles returns the open files of a process, from its links in /proc.
func openFiles(t *testing.T, pid int) []string {
	t.Helper()
	dir := fmt.Sprintf("/proc/%d/fd", pid)
	list, err := os.ReadDir(dir)
	if err != nil || len(list) < 3 {
		t.Fatalf("%d open files, error %v", len(list), err)
	}
	var files []string
	for _, fd := range list {
		if to, err := os.Readlink(filepath.Join(dir, fd.Name())); err == nil {
			files = append(files, to)
		}
	}
	return files
}
