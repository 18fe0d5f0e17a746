package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentflow/internal/testing/labtest"
)

// A daemon takes up changed settings and schedules by itself; settings that
// cannot be used leave it as it was, and are told of.
func TestDaemonTakesUpChangedSettings(t *testing.T) {
	l := newLab(t, "")
	l.Agentflow("init")
	file := filepath.Join(l.Home, "config/agentflow/config.toml")
	own, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	l.Write(filepath.Join(".git/agentflow/schedule.json"),
		`{"version": 1, "jobs": {"often": {"key": "@hourly", "until": "2026-01-01T00:00:00Z", "history": []}}}`) // due since then
	said := &labtest.Lines{}
	cmd := l.Command("daemon")
	cmd.Stderr = said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	says := func(what string) {
		t.Helper()
		labtest.Await(t, what, func() bool { return strings.Contains(said.String(), what) })
	}
	says("watching ")
	l.Write(file, string(own)+"[[schedule]]\nname = \"often\"\ncron = \"@hourly\"\njob = \"index\"\n")
	says("took up the changed settings: 1 schedule")
	says("often: ok in ")
	l.Write(file, string(own)+"[[schedule]]\nname = \"often\"\ncron = \"whenever\"\njob = \"index\"\n")
	says("warning: the changed settings cannot be used, those before them stay: ")
	l.Write(file, string(own))
	says("took up the changed settings: 0 schedules")
	labtest.Await(t, "the watch with the last settings", func() bool { return strings.Count(said.String(), "watching ") == 3 })
	l.Write(".agentflow/memory/notes.md", "# Notes\n\nThe daemon goes on watching.\n")
	says("indexed 1 changed file")
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
}
