package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestMountedReadOnlyAndFull runs over file systems that are really read-only or
// full, in a separate mount namespace. If none can
// be made, the scripts trouble_readonly and trouble_full test the same with
// files in the place of folders and with a limit on the size of files.
func TestMountedReadOnlyAndFull(t *testing.T) {
	const readOnly = `mount --bind "$dir" "$dir" && mount -o remount,ro,bind "$dir" "$dir"`
	const full = `mkdir -p "$dir" && cp -a "$dir" ../aside && mount -t tmpfs -o size=256k none "$dir" && cp -a ../aside/. "$dir" && { yes | cat >"$dir/fill" || true; } 2>/dev/null`
	for _, c := range []struct {
		name, dir, mount string
		code             int
		says             []string
		after            string // of the next command
	}{
		{"read-only memory", ".agentflow", readOnly, 4, []string{"the run is not recorded: ", "read-only file system; it is in the log"}, "finished writing"},
		{"read-only git directory", ".git", readOnly, 0, []string{"this run has no journal: ", "the log is in "}, ""},
		{"read-only work tree", ".", readOnly, 3, []string{"ran.txt: read-only file system", "it is in the log"}, "finished writing"},
		{"full git directory", ".git/agentflow", full, 0, []string{"write the run's journal: ", "no space left on device"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t, "write ran.txt \"ran\\n\"\nsay \"<save_memory>It ran.</save_memory>\"\n")
			l.Agentflow("remember", "It was there before.")
			program := l.Command().Path
			cmd := l.shell(`dir=` + c.dir + `; { ` + c.mount + `; } || exit 99; cd "$PWD" && exec "` + program + `" run "Work in trouble"`)
			out, err := cmd.CombinedOutput()
			if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() == 99 {
				t.Logf("nothing can be mounted here: %v\n%s", err, out)
				return
			}
			if code := cmd.ProcessState.ExitCode(); code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			for _, want := range c.says {
				if !strings.Contains(string(out), want) {
					t.Errorf("it does not say %q", want)
				}
			}
			if _, err := os.Stat(filepath.Join(l.Repo, "ran.txt")); err != nil && c.code != 3 {
				t.Error("the agent did not run")
			}
			next := l.Command("log")
			var said bytes.Buffer
			next.Stderr = &said
			list, err := next.Output()
			if err != nil || !strings.Contains(string(list), "Work in trouble") || !strings.Contains(said.String(), c.after) {
				t.Errorf("the next command: %v\n%s%s", err, list, said.String())
			}
			if len(l.Entries()) != 2 {
				t.Errorf("%d entries, want 2", len(l.Entries()))
			}
			if t.Failed() {
				t.Logf("%s", out)
			}
		})
	}
}

// shell runs a shell command in the repository, in namespaces where this
// user may mount.
func (l *lab) shell(script string) *exec.Cmd {
	cmd := l.Command()
	cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", script}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	return cmd
}
