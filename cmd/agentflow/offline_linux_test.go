package main

import (
	"agentflow/cmd/agentflow/cli"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// runOffline runs agentflow so that the system ends it the moment it, or a program
// that it starts, opens a socket of the internet's protocols.
func runOffline() {
	if err := forbidSockets(); err != nil {
		os.Stderr.WriteString("forbidding sockets: " + err.Error() + "\n")
		os.Exit(noFilter)
	}
	main()
}

// noFilter is the exit code where the system takes no filter.
const noFilter = 99

// Where a filter finds the number and the first argument of a system call
// (struct seccomp_data); the low half of the argument, as all systems that
// this is run on are little-endian.
const (
	offsetNumber = 0
	offsetFirst  = 16
)

// forbidSockets installs a seccomp filter for all threads, and all that come.
func forbidSockets() error {
	load := func(at uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
	}
	equal := func(k uint32, yes, no uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: yes, Jf: no, K: k}
	}
	end := func(k uint32) unix.SockFilter { return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: k} }
	program := []unix.SockFilter{
		load(offsetNumber), equal(unix.SYS_SOCKET, 0, 3),
		load(offsetFirst), equal(unix.AF_INET, 2, 0), equal(unix.AF_INET6, 1, 0),
		end(unix.SECCOMP_RET_ALLOW), end(unix.SECCOMP_RET_KILL_PROCESS),
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	filter := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&filter)))
	if errno != 0 {
		return errno
	}
	return nil
}

// TestNoCommandOpensASocket runs every command that does anything, with the
// default settings. The default agent is a
// program of the user's, which may use the network. Here it is a program that says hello.
func TestNoCommandOpensASocket(t *testing.T) {
	l := offlineLab(t)
	history, err := filepath.Abs("../../testdata/search/history.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	l.offline(cli.ExitOK, "version")
	for _, args := range [][]string{
		{"init"}, {"run", "--agent", "command", "Fix the flaky login", "--", "sh", "-c", "echo x >f; git add f; git commit -qm f; echo '<save_memory>Wait less.</save_memory>'"},
		{"remember", "The login test races the clock."}, {"index"}, {"index", "--rebuild"}, {"search", "--explain", "flaky login"},
		{"recall", "Fix the login"}, {"run", "--agent", "command", "Fix the login again", "--", "cat"}, {"log"}, {"show", "last"}, {"pin", "last"}, {"unpin", "last"},
		{"status"}, {"forget", "--yes", "last"}, {"memory", "restore"}, {"config"}, {"config", "check"}, {"config", "path"}, {"trust", "--yes"},
		{"eval", "cochange", "--log", history, "--last", "30"}, {"eval", "queries", filepath.Join(l.Home, "questions.jsonl")}, {"completion", "bash"}, {"man", l.Home}, {"uninstall", "--yes"},
	} {
		l.offline(cli.ExitOK, args...)
	}
	l.offline(cli.ExitError, "doctor") // no claude on PATH
}

// TestChatOpensASocketWhenItAsks: chat, with a key, opens none before there is a
// question; with one it opens a socket, which ends it here.
func TestChatOpensASocketWhenItAsks(t *testing.T) {
	l := offlineLab(t)
	l.offline(cli.ExitOK, "init")
	l.Env = append(l.Env, "ANTHROPIC_API_KEY=k")
	l.Write(filepath.Join(l.Home, "config/agentflow/config.toml"), "[chat]\nbase_url = \"http://127.0.0.1:1\"\n")
	l.offline(cli.ExitUsage, "chat")                                // standard input has none
	l.offline(cli.ExitUsage, "chat", " ")                           // and this is none
	l.offline(cli.ExitError, "chat", "--continue", "is this asked") // there is no conversation to continue
	cmd := l.offlineCommand("chat", "is this asked")
	err := cmd.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGSYS {
		t.Errorf("it ended with %v", err)
	}
}

// TestOfflineWatch: a watcher does not either.
func TestOfflineWatch(t *testing.T) {
	l := offlineLab(t)
	l.offline(cli.ExitOK, "init")
	cmd := l.offlineCommand("watch")
	out, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil { // it says that it watches
		t.Error(err)
	}
	if err := errors.Join(cmd.Process.Signal(os.Interrupt), cmd.Wait()); err != nil {
		t.Error(err)
	}
}

// TestOfflineIsNoticed: the same program is ended when it does open one, so
// that the tests above can fail.
func TestOfflineIsNoticed(t *testing.T) {
	l := offlineLab(t)
	l.offline(cli.ExitOK, "remember", "The login test races the clock.")
	l.Write(filepath.Join(l.Home, "config/agentflow/config.toml"), "[embed]\nprovider = \"ollama\"\nbase_url = \"http://127.0.0.1:1\"\n")
	err := l.offlineCommand("search", "login").Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGSYS {
		t.Errorf("it ended with %v", err)
	}
}

func offlineLab(t *testing.T) *lab {
	t.Helper()
	l := newLab(t, "")
	if err := os.Remove(filepath.Join(l.Home, "config/agentflow/config.toml")); err != nil {
		t.Fatal(err)
	}
	l.Write(filepath.Join(l.Home, "questions.jsonl"), "{\"question\": \"why\", \"answers\": []}\n")
	return l
}

// offlineCommand returns an agentflow command that runs this test program.
func (l *lab) offlineCommand(args ...string) *exec.Cmd {
	l.T.Helper()
	self, err := os.Executable()
	if err != nil {
		l.T.Fatal(err)
	}
	path := filepath.Join(l.Home, "agentflow-offline")
	if err := os.Symlink(self, path); err != nil && !errors.Is(err, os.ErrExist) {
		l.T.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Env = l.Repo, l.Env
	return cmd
}

func (l *lab) offline(want int, args ...string) {
	l.T.Helper()
	cmd := l.offlineCommand(args...)
	out, _ := cmd.CombinedOutput()
	code := cmd.ProcessState.ExitCode()
	if code == noFilter {
		l.T.Skipf("no seccomp here: %s", out)
	}
	if code != want {
		l.T.Errorf("agentflow %s: %v\n%s", strings.Join(args, " "), cmd.ProcessState, out)
	}
}
