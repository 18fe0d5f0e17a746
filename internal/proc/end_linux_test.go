package proc_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"agentflow/internal/proc"
	"agentflow/internal/testing/endtest"
)

// living reports whether a process exists and is not a zombie.
func living(pid int) bool {
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	fields := bytes.Fields(line[bytes.LastIndexByte(line, ')')+1:])
	return string(fields[0]) != "Z" && string(fields[0]) != "X"
}

// named returns the ended process with a command that starts with the given
// text.
func named(t *testing.T, ended []proc.Ended, command string) proc.Ended {
	t.Helper()
	for _, e := range ended {
		if strings.HasPrefix(e.Command, command) {
			return e
		}
	}
	t.Fatalf("%q is not among the ended: %+v", command, ended)
	return proc.Ended{}
}

// own makes the long sleeps of a script specific to this test process, because
// another run of the same tests may be active.
func own(script string) string {
	return strings.ReplaceAll(script, "sleep 2", fmt.Sprintf("sleep %d2", os.Getpid()))
}

// What agents leave behind. Each script prints "ready" once it is in place.
func TestEndFindsWhatTheAgentLeft(t *testing.T) {
	for _, test := range []struct {
		name, script string
		command      string
		killed       bool
	}{
		{"background child", `sleep 2001 & echo ready`, "sleep 2001", false},
		{"nohup", `nohup sleep 2002 >/dev/null 2>&1 & echo ready`, "sleep 2002", false},
		{"own session", `setsid sleep 2003 & echo ready`, "sleep 2003", false},
		{"own session, deaf to requests", `setsid sh -c 'trap "" TERM; : >in; exec sleep 2004' & until [ -e in ]; do sleep 0.01; done; echo ready`, "sleep 2004", true},
		{"double fork", `setsid sh -c 'sleep 2005 & exit' ; echo ready`, "sleep 2005", false},
		{"double fork, deaf to requests", `setsid sh -c 'trap "" TERM; sleep 2006 & exit'; echo ready`, "sleep 2006", true},
		{"orphan without the environment", `(env -i sleep 2007 & exit); echo ready`, "sleep 2007", false},
		{"stopped", `setsid sh -c ': >in; kill -STOP $$; :' & until [ -e in ]; do sleep 0.01; done; echo ready`, "sh -c : >in", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			out, tag := newSink(), tag(t)
			test.script, test.command = own(test.script), own(test.command)
			grace := 30 * time.Second // no process needs it
			if test.killed {
				grace = 300 * time.Millisecond // it is waited for
			}
			p := start(t, proc.Spec{Argv: []string{"sh", "-c", test.script}, Dir: t.TempDir(), Tag: tag, Stdout: out, Grace: grace})
			out.await(t, "ready")
			awaitCommand(t, test.command)
			wait(t, p)
			ended := p.End(t.Context())
			if e := named(t, ended, test.command); e.Killed != test.killed || living(e.PID) {
				t.Errorf("got %+v, living %v; want killed %v", e, living(e.PID), test.killed)
			}
			if len(ended) != 1 || proc.Alive(tag) {
				t.Errorf("ended %+v, alive %v", ended, proc.Alive(tag))
			}
			if again := p.End(t.Context()); len(again) != 0 {
				t.Errorf("ended again: %+v", again)
			}
		})
	}
}

func TestEndStopsALivingAgent(t *testing.T) {
	out, tag := newSink(), tag(t)
	p := start(t, proc.Spec{
		Argv: []string{"sh", "-c", own(`setsid env -i sleep 2101 & trap "" TERM; echo ready; sleep 2102`)},
		Tag:  tag, Stdout: out, Grace: 30 * time.Second,
	})
	out.await(t, "ready")
	polite, deaf := own("sleep 2101"), own("sleep 2102")
	child := awaitCommand(t, polite)
	awaitCommand(t, deaf)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { // ends the grace period once the child that obeys the request has ended
		for tick := time.Tick(time.Millisecond); living(child); {
			<-tick
		}
		cancel()
	}()
	ended := p.End(ctx)
	if e := named(t, ended, polite); e.Killed || living(e.PID) {
		t.Errorf("%+v", e)
	}
	if e := named(t, ended, deaf); !e.Killed {
		t.Errorf("%+v", e)
	}
	if len(ended) != 2 {
		t.Errorf("the agent itself is not to be named: %+v", ended)
	}
	if exit := wait(t, p); exit != (proc.Exit{Code: 137, Signal: "SIGKILL"}) {
		t.Errorf("exit %+v", exit)
	}
}

// awaitCommand waits until a process has become "sleep N", and returns its id:
// until then it has the command of the shell or tool that starts it.
func awaitCommand(t *testing.T, command string) (pid int) {
	t.Helper()
	number, ok := strings.CutPrefix(command, "sleep ")
	if !ok {
		return 0
	}
	eventually(t, command+" runs", func() bool {
		paths, err := filepath.Glob("/proc/[0-9]*/cmdline")
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(paths, func(path string) bool {
			line, _ := os.ReadFile(path)
			fmt.Sscanf(path, "/proc/%d/cmdline", &pid)
			return string(line) == "sleep\x00"+number+"\x00"
		})
	})
	return pid
}

func TestEndOutrunsAForkStorm(t *testing.T) {
	out, tag := newSink(), tag(t)
	argv, env := playing(t, "storm")
	p := start(t, proc.Spec{Argv: argv, Env: env, Tag: tag, Stdout: out, Grace: 200 * time.Millisecond})
	out.await(t, "raging")
	endtest.Soon(t, "a fork storm", func() { p.End(t.Context()) })
	if proc.Alive(tag) {
		t.Error("something is left")
	}
	if exit := wait(t, p); exit.Signal != "SIGKILL" {
		t.Errorf("exit %+v", exit)
	}
}

func TestEndWithACancelledContextSkipsTheGrace(t *testing.T) {
	out := newSink()
	p := start(t, proc.Spec{
		Argv: []string{"sh", "-c", `trap "" TERM; echo ready; exec sleep 2201`}, Tag: tag(t), Stdout: out, Grace: time.Hour,
	})
	out.await(t, "ready")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p.End(ctx)
	if exit := wait(t, p); exit.Signal != "SIGKILL" {
		t.Errorf("exit %+v", exit)
	}
}

func TestRunsAndOtherChildrenAreLeftAlone(t *testing.T) {
	// Other code of this program started these children: one in our session and
	// one in a new session, and another of each kind that is dead but not yet
	// waited for.
	others := make([]*exec.Cmd, 4)
	for i, argv := range [][]string{{"cat"}, {"cat"}, {"sh", "-c", "exit 5"}, {"sh", "-c", "exit 5"}} {
		cmd := exec.Command(argv[0], argv[1:]...)
		if i%2 == 1 {
			cmd.SysProcAttr = ownSession()
		}
		if in, err := cmd.StdinPipe(); err != nil {
			t.Fatal(err)
		} else if i < 2 {
			defer in.Close()
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		others[i] = cmd
	}
	for _, cmd := range others[2:] {
		eventually(t, "the child is dead", func() bool { return !living(cmd.Process.Pid) })
	}

	outA, outB := newSink(), newSink()
	script := func(n string) []string {
		return []string{"sh", "-c", `trap "exit 7" TERM; setsid sleep $0 & echo "child=$!."; while :; do sleep 0.01; done`, n}
	}
	tagA, tagB := tag(t)+"A", tag(t)+"B"
	a := start(t, proc.Spec{Argv: script("2302"), Tag: tagA, Stdout: outA, Grace: time.Second})
	b := start(t, proc.Spec{Argv: script("2301"), Tag: tagB, Stdout: outB, Grace: time.Second})
	outA.await(t, ".")
	outB.await(t, ".")
	awaitCommand(t, "sleep 2301")
	var childB int
	fmt.Sscanf(outB.String(), "child=%d.", &childB)

	a.End(t.Context())
	if ended := proc.EndTagged(t.Context(), tagA, 0); len(ended) != 0 || proc.Alive(tagA) {
		t.Errorf("left of the first run: %+v", ended)
	}
	if !living(b.PID()) || !living(childB) || !proc.Alive(tagB) {
		t.Error("the second run was touched")
	}
	if err := b.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if exit := wait(t, b); exit.Code != 7 {
		t.Errorf("the second run's exit: %+v", exit)
	}
	if !living(childB) {
		t.Error("the second run's child was touched")
	}
	if named(t, b.End(t.Context()), "sleep 2301").PID != childB {
		t.Error("another child than the second run's was named")
	}

	for _, cmd := range others[:2] {
		if !living(cmd.Process.Pid) {
			t.Error("a child of other code was touched")
		}
		cmd.Process.Signal(syscall.SIGKILL)
		if cmd.Wait(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != -1 {
			t.Error("a child of other code was reaped")
		}
	}
	for _, cmd := range others[2:] {
		if cmd.Wait(); cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 5 {
			t.Error("a dead child of other code was reaped")
		}
	}
}

func TestOrphansAreReaped(t *testing.T) {
	out := newSink()
	p := start(t, proc.Spec{
		Argv: []string{"sh", "-c", `setsid sh -c 'sleep 0.01 & echo "a=$!."; exit'; setsid sleep 2401 & echo "b=$!."`}, Tag: tag(t), Stdout: out,
	})
	wait(t, p)
	p.End(t.Context())
	for _, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
		var pid int
		if _, err := fmt.Sscanf(line[2:], "%d.", &pid); err != nil {
			t.Fatal(err)
		}
		eventually(t, line+" is reaped", func() bool {
			p.End(t.Context())
			_, err := os.Stat(fmt.Sprintf("/proc/%d", pid))
			return err != nil
		})
	}
}

func TestAKilledParentTakesTheAgentAndEndTaggedTheRest(t *testing.T) {
	argv, env := playing(t, "parent")
	tag := tag(t)
	cmd := exec.Command(argv[0])
	cmd.Env = append(env, parentTag+"="+tag)
	out := newSink()
	cmd.Stdout = out
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	out.await(t, "\n")
	var agent, child int
	if _, err := fmt.Sscanf(out.String(), "agent %d child %d", &agent, &child); err != nil {
		t.Fatal(err, out.String())
	}
	awaitCommand(t, "sleep 1001")
	awaitCommand(t, "sleep 1002")
	cmd.Process.Signal(syscall.SIGKILL)
	cmd.Wait()
	eventually(t, "the agent is dead", func() bool { return !living(agent) })
	if !living(child) || !proc.Alive(tag) {
		t.Fatal("the child should have lived on: this test shows nothing")
	}
	ended := proc.EndTagged(t.Context(), tag, 5*time.Second)
	if e := named(t, ended, "sleep 1001"); len(ended) != 1 || e.PID != child || e.Killed {
		t.Errorf("%+v", ended)
	}
	if living(child) || proc.Alive(tag) {
		t.Error("the child lives")
	}
}

func TestEndTaggedSparesTheCallerAndTheUntagged(t *testing.T) {
	tag := tag(t)
	t.Setenv(proc.TagVar, tag)
	cmd := exec.Command("cat")
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	if ended := proc.EndTagged(t.Context(), tag, 0); len(ended) != 0 {
		t.Errorf("a run inside a run ended its own child: %+v", ended)
	}
	if ended := proc.EndTagged(t.Context(), "", 0); len(ended) != 0 {
		t.Errorf("no tag ended %+v", ended)
	}
	if !living(cmd.Process.Pid) {
		t.Error("the child is dead")
	}
}

// TestEndTaggedInOurOwnProcessGroup checks that a process in our process group
// is ended individually, and that we survive.
func TestEndTaggedInOurOwnProcessGroup(t *testing.T) {
	tag, out := tag(t), newSink()
	cmd := exec.Command("sh", "-c", `trap "" TERM; echo ready; exec sleep 1003`)
	cmd.Env = append(os.Environ(), proc.TagVar+"="+tag)
	cmd.Stdout = out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	out.await(t, "ready")
	awaitCommand(t, "sleep 1003")
	ended := proc.EndTagged(t.Context(), tag, 50*time.Millisecond)
	if e := named(t, ended, "sleep 1003"); len(ended) != 1 || !e.Killed || e.PID != cmd.Process.Pid {
		t.Errorf("%+v", ended)
	}
	if cmd.Wait(); cmd.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Errorf("it ended otherwise: %v", cmd.ProcessState)
	}
}

// A survivor holds the other ends of all pipes; ours are closed all the same.
func TestWaitLeavesNoPipesBehind(t *testing.T) {
	open := func() int {
		links, err := filepath.Glob("/proc/self/fd/*")
		if err != nil {
			t.Fatal(err)
		}
		return len(slices.DeleteFunc(links, func(path string) bool {
			to, _ := os.Readlink(path)
			return !strings.HasPrefix(to, "pipe:")
		}))
	}
	before := open()
	p := start(t, proc.Spec{
		Argv: []string{"sh", "-c", "exec 3<&0; sleep 2501 <&3 & echo ready"}, Tag: tag(t),
		Stdin: make([]byte, 1<<20), Stdout: newSink(), Stderr: newSink(),
	})
	wait(t, p)
	if after := open(); after != before {
		t.Errorf("%d pipes open, %d before", after, before)
	}
	named(t, p.End(t.Context()), "s")
}

// TestEndLeavesGitsOwnProcesses checks that git's credential daemon keeps
// running until its timeout, and that another program with the words of git's
// housekeeping in its arguments is ended.
func TestEndLeavesGitsOwnProcesses(t *testing.T) {
	dir := t.TempDir()
	shell, err := exec.LookPath("sh")
	if err == nil {
		err = os.Symlink(shell, filepath.Join(dir, "git"))
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "gc"), []byte("echo up >begun; "+own("sleep 2091 & wait")), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	// The socket's folder must be accessible to its owner only.
	script := `mkdir -m 700 s; git credential-cache--daemon "$PWD/s/s" >up 2>/dev/null </dev/null & echo $! >pid; until [ -s up ]; do sleep 0.01; done
./git gc --auto & until [ -s begun ]; do sleep 0.01; done; echo ready`
	p, err := proc.Start(proc.Spec{Argv: []string{"sh", "-c", script}, Dir: dir, Env: os.Environ(), Tag: fmt.Sprint("gits-", os.Getpid()), Grace: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	ended := p.End(t.Context())
	var pid int
	text, err := os.ReadFile(filepath.Join(dir, "pid"))
	if err == nil {
		_, err = fmt.Sscan(string(text), &pid)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Kill(pid, syscall.SIGKILL) })
	if !living(pid) {
		t.Error("git's daemon was ended")
	}
	for _, e := range ended {
		if strings.Contains(e.Command, "credential-cache--daemon") {
			t.Errorf("%+v is named", e)
		}
	}
	if !slices.ContainsFunc(ended, func(e proc.Ended) bool { return strings.HasPrefix(e.Command, "git gc --auto") }) {
		t.Errorf("the shell with git's words is not among %+v", ended)
	}
}
