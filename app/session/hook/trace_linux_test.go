package hook

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	. "agentflow/internal/testing/sessiontest"
)

// reads has the agent's git log reads of references, as many as 20 MB take.
func reads() Act {
	return Run(`yes '04:42:12.905108 refs/debug.c:193        iterator_advance: refs/heads/x (0)' | head -c 20000000 >> "$GIT_TRACE_REFS"`)
}

// onDisk returns the disk space of a file, in bytes.
func (l *lab) onDisk(name string) int64 {
	l.T.Helper()
	info, err := os.Stat(name)
	if err != nil {
		l.T.Fatal(err)
	}
	return info.Sys().(*syscall.Stat_t).Blocks * 512
}

func (l *lab) trace(p *Player) string {
	return filepath.Join(l.Path(".git/agentflow/sessions"), "claude-"+p.ID, "refs.log")
}

// TestTheTraceStaysSmall: reads take little of the disk after a turn, nothing after the
// session, and nothing of a commit is lost by that.
func TestTheTraceStaysSmall(t *testing.T) {
	l := newLab(t)
	p := l.player()
	p.Start("startup")
	p.Turn("List all the branches", reads(), Say("Nothing."))
	if got := l.onDisk(l.trace(p)); got > 1<<20 {
		t.Errorf("after a turn the trace takes %d bytes", got)
	}
	p.Turn("Write it", reads(), Write("a", "x\n"), Commit("first", "a"), reads(), Say("Done."))
	p.Turn("Write more", Write("b", "x\n"), Commit("second", "b"), Say("Done."))
	p.End("other")
	l.want("session: first; then Write it | A a | | | commit first", "session: second | A b | | | commit second")
	if info, err := os.Stat(l.trace(p)); err != nil || info.Size() > 0 {
		t.Errorf("after the session the trace has %v (%v)", info, err)
	}
	copies, err := filepath.Glob(l.Path(".git/agentflow/runs/*/refs.log"))
	if err != nil || len(copies) == 0 {
		t.Fatal(copies, err)
	}
	for _, name := range copies {
		if info, err := os.Stat(name); err != nil || info.Size() > 64<<10 {
			t.Errorf("%s has %v (%v)", name, info, err)
		}
	}
	p.Start("resume")
	p.Turn("Write again", Write("c", "x\n"), Commit("third", "c"), Say("Done."))
	p.End("other")
	l.want("session: first; then Write it | A a | | | commit first", "session: second | A b | | | commit second", "session: third | A c | | | commit third")
}

// TestTheTraceStaysSmallDuringATurn: in a repository with many references, a process keeps the
// trace small until the turn ends.
func TestTheTraceStaysSmallDuringATurn(t *testing.T) {
	l := newLab(t)
	head := strings.TrimSpace(l.Git("rev-parse", "HEAD"))
	var packed strings.Builder
	for n := range 1500 {
		fmt.Fprintf(&packed, "%s refs/remotes/origin/branch-%04d\n", head, n)
	}
	l.Write(".git/packed-refs", packed.String())
	l.later = true
	p := l.player()
	p.Start("startup")
	l.work()
	p.Ask("Look at the branches")
	var watch []byte
	for _, input := range l.left {
		if bytes.Contains(input, []byte(`"Watch":true`)) {
			watch = input
		}
	}
	if watch == nil {
		t.Fatal("nothing watches the trace")
	}
	l.left = nil
	done := make(chan error, 1)
	go func() { done <- Work(t.Context(), bytes.NewReader(watch), l.open) }()
	reads()(p)
	for deadline := time.Now().Add(20 * time.Second); l.onDisk(l.trace(p)) > 8<<20; {
		if time.Now().After(deadline) {
			t.Fatalf("the trace takes %d bytes", l.onDisk(l.trace(p)))
		}
	}
	Say("Nothing.")(p)
	p.Stop()
	l.work()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
