package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"agentflow/internal/testing/labtest"
	"agentflow/memory"
	"agentflow/memory/markdown"
)

// TestEditorSavesDuringRuns has an editor that saves by rename, again and
// again, while twenty runs append to the same file. The editor's text is often
// stale when it saves. In the end the file has every entry once, and all
// lines written by hand.
func TestEditorSavesDuringRuns(t *testing.T) {
	l := newLab(t, "sh touch ran-$AGENTFLOW_RUN_ID\nsay \"<save_memory>It ran.</save_memory>\"\n")
	l.Agentflow("remember", "The file is there.")
	files, err := filepath.Glob(filepath.Join(l.Repo, ".agentflow/memory/[0-9]*.md"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files %v, error %v", files, err)
	}
	stop, stopped := make(chan struct{}), make(chan error, 1)
	var saves atomic.Int64
	go func() { stopped <- savingEditor(files[0], stop, &saves) }()

	var runs []*labtest.Process
	for i := range 20 {
		runs = append(runs, l.Start("run", "-q", "--no-recall", fmt.Sprintf("Task %d", i)))
	}
	for i, run := range runs {
		if err := run.Wait(); err != nil {
			t.Errorf("run %d: %v\n%s%s", i, err, &run.Out, &run.Err)
		}
	}
	close(stop)
	if err := <-stopped; err != nil {
		t.Fatal(err)
	}
	t.Logf("the editor saved %d times", saves.Load())
	if saves.Load() < 20 {
		t.Error("that is too seldom")
	}
	if ran, err := filepath.Glob(filepath.Join(l.Repo, "ran-*")); err != nil || len(ran) != 20 {
		t.Errorf("%d agents ran, error %v", len(ran), err)
	}
	if status := l.status(); len(status.Vanished) > 0 || status.Pending > 0 {
		t.Errorf("status %+v", status)
	}
	l.wantEdited(files[0], saves.Load())
}

// savingEditor reads the file, waits like a person who types, and saves it with one
// more line below the heading: a new file, renamed over the old one.
func savingEditor(path string, stop <-chan struct{}, saves *atomic.Int64) error {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		select {
		case <-stop:
			return nil
		case <-tick.C:
		}
		head, rest, _ := strings.Cut(string(text), "\n")
		text = fmt.Appendf(nil, "%s\nLine %d by hand.\n%s", head, saves.Add(1), rest)
		if err := os.WriteFile(path+"~", text, 0o600); err != nil {
			return err
		}
		if err := os.Rename(path+"~", path); err != nil {
			return err
		}
	}
}

// wantEdited checks that a file holds twenty runs and a note, each once and
// whole, and every line of the editor once.
func (l *lab) wantEdited(path string, lines int64) {
	l.T.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		l.T.Fatal(err)
	}
	seen, facts := map[string]int{}, 0
	for _, block := range markdown.Parse(data).Blocks {
		e := block.Entry
		if e == nil {
			continue
		}
		if !labtest.IsWhole(block) {
			l.T.Errorf("not whole:\n%s", block.Raw)
		}
		if seen[e.ID]++; seen[e.ID] > 1 {
			l.T.Errorf("entry %s stands %d times", e.ID, seen[e.ID])
		}
		if e.Kind == memory.KindRun {
			facts += len(e.Facts)
		}
	}
	if facts == 0 { // all runs say the same, which is united where the editor does not interfere
		l.T.Error("what the runs said is gone")
	}
	if len(seen) != 21 {
		l.T.Errorf("%d entries, want 21", len(seen))
	}
	for i := range lines {
		if n := bytes.Count(data, fmt.Appendf(nil, "\nLine %d by hand.\n", i+1)); n != 1 {
			l.T.Errorf("line %d stands %d times", i+1, n)
		}
	}
}
