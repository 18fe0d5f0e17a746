package gitwatch

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"reflect"
	"runtime"
	"testing"

	"agentflow/internal/testing/gittest"
)

// TestFileMonitor makes random changes while git's daemon runs, and compares the result with that
// without it. git status gives the index newer tokens in between.
func TestFileMonitor(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			f := aged(t)
			if _, err := f.Try("fsmonitor--daemon", "start"); err != nil {
				t.Skip("this git has no monitor here")
			}
			t.Cleanup(func() { f.Git("fsmonitor--daemon", "stop") })
			f.settle()
			act := &actor{fixture: f, rnd: rand.New(rand.NewPCG(seed, 12))}
			last := f.open()
			for range 40 {
				act.act()
				f.Git("config", "core.fsmonitor", "true")
				if act.rnd.IntN(3) == 0 {
					f.Git("status")
				}
				for name, r := range map[string]*Repo{"first": f.open(), "again": last} {
					f.Git("config", "core.fsmonitor", "true")
					got, err := r.takeSnapshot(t.Context(), nil)
					gittest.Must(t, err)
					f.Git("config", "core.fsmonitor", "false")
					want, err := f.open().takeSnapshot(t.Context(), nil)
					gittest.Must(t, err)
					if !reflect.DeepEqual(got.Dirty, want.Dirty) || !reflect.DeepEqual(got.Unread, want.Unread) || !reflect.DeepEqual(got.Hidden, want.Hidden) {
						t.Fatalf("%s:\n got %v %v\nwant %v %v\ndid %v", name, got.Dirty, got.Unread, want.Dirty, want.Unread, act.log)
					}
				}
			}
		})
	}
}

// TestFileMonitorIsAsked changes a file that a daemon does, or does not, report. If the daemon does
// not report it, it stays unseen, which shows that the daemon is trusted.
func TestFileMonitorIsAsked(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the daemon listens at a pipe there")
	}
	cases := map[string]struct {
		told   string
		change func(*fixture)
		seen   bool
	}{
		"of nothing":             {told: ""},
		"of another file":        {told: "a.txt\x00"},
		"of the file":            {told: "dir/b.txt\x00", seen: true},
		"of its folder":          {told: "dir\x00", seen: true},
		"of its folder with /":   {told: "dir/\x00", seen: true},
		"that it does not know":  {told: "/\x00", seen: true},
		"though it is off":       {change: func(f *fixture) { f.Git("config", "core.fsmonitor", "false") }, seen: true},
		"though it is a program": {change: func(f *fixture) { f.Git("config", "core.fsmonitor", "touch ran") }, seen: true},
		"letter case":            {change: func(f *fixture) { f.Git("config", "core.ignoreCase", "true") }, seen: true},
		"not known to the index": {change: func(f *fixture) { f.Git("update-index", "--no-fsmonitor-valid", "dir/b.txt") }, seen: true},
		"no extension": {change: func(f *fixture) {
			f.Git("update-index", "--no-fsmonitor")
			f.Git("config", "core.fsmonitor", "true")
		}, seen: true},
		"split index":          {change: func(f *fixture) { f.Git("update-index", "--split-index") }, seen: true},
		"assume unchanged":     {change: func(f *fixture) { f.Git("update-index", "--assume-unchanged", "dir/b.txt") }, seen: true},
		"gone, its folder too": {change: func(f *fixture) { gittest.Must(f.T, os.RemoveAll(f.Path("dir"))) }, seen: true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.Commit("base", "a.txt", "a\n", "dir/b.txt", "b\n", "dir/c.txt", "c\n")
			f.Write(".git/monitor", `printf 'builtin:1.2.3:4\0'`)
			f.Git("config", "core.fsmonitor", "sh .git/monitor")
			f.Git("update-index", "--fsmonitor")
			f.Git("status")
			if c.change != nil {
				c.change(f)
			}
			if value, _ := f.Try("config", "core.fsmonitor"); value == "sh .git/monitor\n" {
				f.Git("config", "core.fsmonitor", "true")
			}
			if onDisk(f.Path("dir")) {
				f.Write("dir/b.txt", "edited\n")
			}
			f.tellMoved(c.told)
			s, err := f.open().takeSnapshot(t.Context(), nil)
			gittest.Must(t, err)
			if seen := len(s.Dirty) > 0; seen != c.seen {
				t.Errorf("seen: %v (%v)", seen, s.Dirty)
			}
			if onDisk(f.Path("ran")) {
				t.Error("the program in the daemon's place was run")
			}
		})
	}
}

// tellMoved acts as git's daemon: it answers every question with the same paths, each ended by NUL.
func (f *fixture) tellMoved(paths string) {
	socket := f.Path(".git/fsmonitor--daemon.ipc")
	if len(socket) > 100 {
		f.T.Skip("the path is too long for a socket on some systems")
	}
	l, err := net.Listen("unix", socket)
	gittest.Must(f.T, err)
	f.T.Cleanup(func() { _ = l.Close() })
	answer := "builtin:1.2.3:5\x00" + paths
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = io.ReadFull(conn, make([]byte, len("0013builtin:1.2.3:40000")))
			_, _ = fmt.Fprintf(conn, "%04x%s0000", len(answer)+4, answer)
			_ = conn.Close()
		}
	}()
}
