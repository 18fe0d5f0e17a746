package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestInterruptedLearning: the question ends with the first interrupt, no
// process of it is left, and the run is as it was: recorded, with its own exit
// code, to be learnt of later.
func TestInterruptedLearning(t *testing.T) {
	pid := filepath.Join(t.TempDir(), "pid")
	l := newLab(t, "say \"The login test reads the wall clock, so it needs synctest to be stable.\"\ntask \"\\\"facts\\\":\"\nsh echo $PPID >"+pid+".new && mv "+pid+".new "+pid+"\nsilent\n")
	config := filepath.Join(l.home, "config/agentflow/config.toml")
	text, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	l.write(config, string(text)+"[extract]\nenabled = true\nagent = \"scripted\"\n")
	cmd := l.command(l.repo, "run", "Why is it flaky?")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	await(t, "the question", func() bool {
		_, err := os.Stat(pid)
		return err == nil
	})
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, stderr.String())
	}
	if !strings.Contains(stderr.String(), "lasting facts are left to the daemon's next pass") || strings.Contains(stderr.String(), "warning") {
		t.Errorf("it says\n%s", stderr.String())
	}
	if marks, _ := filepath.Glob(filepath.Join(l.repo, ".git/agentflow/runs/*", learningMark)); len(marks) != 1 {
		t.Errorf("%d runs are left to be learnt of", len(marks))
	}
	asked, err := os.ReadFile(pid)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join("/proc", strings.TrimSpace(string(asked)))); err == nil {
		t.Errorf("process %s of the question is left", asked)
	}
}
