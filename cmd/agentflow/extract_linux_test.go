package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentflow/internal/testing/labtest"
)

// learningLab returns a lab that asks its agent for facts after each run.
func learningLab(t *testing.T, script string) *lab {
	l := newLab(t, script)
	l.Settings("[extract]\nenabled = true\nagent = \"scripted\"\n")
	return l
}

// left counts the runs that are left to be learnt of.
func (l *lab) left() int {
	marks, _ := filepath.Glob(filepath.Join(l.Repo, ".git/agentflow/runs/*", deferredExtraction))
	return len(marks)
}

// TestKilledRunIsLearntOf: the command that records a run which was killed
// leaves it to the daemon.
func TestKilledRunIsLearntOf(t *testing.T) {
	l := learningLab(t, "task login test\nsay \"The login test reads the wall clock, so it needs synctest to be stable.\"\nsilent\n"+
		"task \"\\\"facts\\\":\"\nsay \"{\\\"facts\\\": [{\\\"op\\\": \\\"add\\\", \\\"text\\\": \\\"The login test needs synctest\\\"}]}\"\n")
	cmd := l.Start("run", "Look at the login test")
	labtest.Await(t, "what the agent says", func() bool {
		logs, _ := filepath.Glob(filepath.Join(l.Repo, ".git/agentflow/runs/*/events.jsonl"))
		if len(logs) == 0 {
			return false
		}
		text, _ := os.ReadFile(logs[0])
		return bytes.Contains(text, []byte("synctest"))
	})
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	out, err := l.Command("log").CombinedOutput()
	if err != nil || l.left() != 1 {
		t.Fatalf("%d runs are left to be learnt of: %v\n%s", l.left(), err, out)
	}
	out, err = l.Command("daemon", "--once").CombinedOutput()
	if err != nil || l.left() != 0 || !strings.Contains(string(out), ": The login test needs synctest\n") {
		t.Errorf("%d runs are left: %v\n%s", l.left(), err, out)
	}
}

// TestInterruptedLearning: the first interrupt ends the question and all of its
// processes. The run is recorded with its exit code, and facts can be
// extracted later.
func TestInterruptedLearning(t *testing.T) {
	pid := filepath.Join(t.TempDir(), "pid")
	l := learningLab(t, "say \"The login test reads the wall clock, so it needs synctest to be stable.\"\ntask \"\\\"facts\\\":\"\nsh echo $PPID >"+pid+".new && mv "+pid+".new "+pid+"\nsilent\n")
	cmd := l.Start("run", "Why is it flaky?")
	l.AwaitFile(pid)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, cmd.Err.String())
	}
	if !strings.Contains(cmd.Err.String(), "lasting facts are left to the daemon's next pass") || strings.Contains(cmd.Err.String(), "warning") {
		t.Errorf("it says\n%s", cmd.Err.String())
	}
	if l.left() != 1 {
		t.Errorf("%d runs are left to be learnt of", l.left())
	}
	if asked := strings.TrimSpace(l.Read(pid)); l.Exists(filepath.Join("/proc", asked)) {
		t.Errorf("process %s of the question is left", asked)
	}
}
