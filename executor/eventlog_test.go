package executor

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"agentflow/executor/agent"
	"agentflow/executor/runfolder"
)

// TestEventLogKeepsTheResult fills a log beyond its cap, with results in
// between and at the end.
func TestEventLogKeepsTheResult(t *testing.T) {
	name := filepath.Join(t.TempDir(), runfolder.EventsFile)
	log, err := runfolder.OpenEventLog(runfolder.RealDisk{}, name)
	if err != nil {
		t.Fatal(err)
	}
	log.Limit = 10_000
	for i := range 100 {
		for range 5 {
			if err := log.Add(agent.Event{Kind: agent.Said, Text: strings.Repeat("s", 100)}); err != nil {
				t.Fatal(err)
			}
		}
		if err := log.Add(agent.Event{Kind: agent.Result, Text: fmt.Sprint("result ", i, strings.Repeat("r", 1000-10*i))}); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(name)
	if err != nil || info.Size() > 12_000 {
		t.Errorf("%d bytes, error %v", info.Size(), err)
	}
	events, damaged := storedEvents(t, name)
	last := events[len(events)-1]
	if damaged > 0 || last.Kind != agent.Result || !strings.HasPrefix(last.Text, "result 99r") {
		t.Errorf("%d damaged lines, last event %q", damaged, last.Text)
	}
	if log.Dropped == 0 {
		t.Error("nothing was counted as dropped")
	}
}

func storedEvents(t *testing.T, name string) (events []agent.Event, damaged int) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	damaged, err = runfolder.ReadEvents(f, func(ev agent.Event) { events = append(events, ev) })
	if err != nil {
		t.Fatal(err)
	}
	return events, damaged
}

// TestEventLogOnAFullDisk: complete lines stay readable, and the failure is reported once.
func TestEventLogOnAFullDisk(t *testing.T) {
	name := filepath.Join(t.TempDir(), runfolder.EventsFile)
	log, err := runfolder.OpenEventLog(&fullDisk{Disk: runfolder.RealDisk{}, room: 500}, name)
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	for range 20 {
		if err := log.Add(agent.Event{Kind: agent.Said, Text: strings.Repeat("x", 60)}); err != nil {
			told++
			if !errors.Is(err, syscall.ENOSPC) {
				t.Errorf("error %v", err)
			}
		}
	}
	events, damaged := storedEvents(t, name)
	if told != 1 || damaged != 0 || len(events) == 0 {
		t.Errorf("told %d times, %d damaged lines, %d events", told, damaged, len(events))
	}
}

func TestReadEventsPassesOverDamage(t *testing.T) {
	good, err := runfolder.EventLine(agent.Event{Kind: agent.Said, Text: "a"})
	if err != nil {
		t.Fatal(err)
	}
	in := bytes.Join([][]byte{good, []byte("{\"kind\":\"sa\n\n[]\n{}\n"), good, good[:len(good)/2]}, nil)
	count := 0
	damaged, err := runfolder.ReadEvents(bytes.NewReader(in), func(agent.Event) { count++ })
	if err != nil || count != 2 || damaged != 4 {
		t.Errorf("%d events, %d damaged, error %v", count, damaged, err)
	}
}
