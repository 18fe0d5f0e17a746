package gitwatch

import (
	"os"
	"testing"
	"time"

	"agentflow/gitwatch/edits"
	"agentflow/gitwatch/toolcalls"
	"agentflow/internal/testing/gittest"
)

// TestMixed: a change that a call of the run wrote is only the run's if the call alone explains the
// state of the file.
func TestMixed(t *testing.T) {
	write := func(f *fixture, name string) { f.Write(name, "the run's\n") }
	executable := func(f *fixture, name string) { gittest.Must(f.T, os.Chmod(f.Path(name), 0o755)) }
	add := func(f *fixture, name string) {
		text, err := os.ReadFile(f.Path(name))
		gittest.Must(f.T, err)
		f.Write(name, string(text)+"somebody's\n")
	}
	remove := func(f *fixture, name string) { gittest.Must(f.T, os.Remove(f.Path(name))) }
	untrack := func(f *fixture, name string) { f.Git("rm", "-q", "--cached", name) }
	commitStaged := func(f *fixture, _ string) {
		f.Trace = true
		f.Git("commit", "-qm", "the run's")
		f.Trace = false
	}
	commit := func(f *fixture, name string) {
		f.Trace = true
		f.Git("commit", "-qm", "the run's", "--", name)
		f.Trace = false
	}
	for _, c := range []struct {
		name, path string
		byTool     bool
		act        []func(f *fixture, name string)
		want       edits.Mixed
		left       edits.Mixed // where it is changed again after the commit
	}{
		{"a tool writes", "a.txt", true, []func(*fixture, string){write}, edits.MixedNo, ""},
		{"a tool writes, somebody makes it executable", "a.txt", true, []func(*fixture, string){write, executable}, edits.MixedUnknown, ""},
		{"a tool makes it, somebody makes it executable", "new.sh", true, []func(*fixture, string){write, executable}, edits.MixedUnknown, ""},
		{"a command writes and makes it executable", "a.txt", false, []func(*fixture, string){write, executable}, edits.MixedNo, ""},
		{"a command makes it, executable", "new.sh", false, []func(*fixture, string){write, executable}, edits.MixedNo, ""},
		{"a tool writes, somebody removes it before anybody looks", "a.txt", true, []func(*fixture, string){write, remove}, edits.MixedUnknown, ""},
		{"a command removes it", "a.txt", false, []func(*fixture, string){remove}, edits.MixedNo, ""},
		{"a tool writes, the run commits that, somebody goes on", "a.txt", true, []func(*fixture, string){write, commit, add}, edits.MixedNo, edits.MixedUnknown},
		{"a tool writes, somebody adds to it, the run commits both, somebody goes on", "a.txt", true, []func(*fixture, string){write, add, commit, add}, edits.MixedUnknown, edits.MixedUnknown},
		{"a command writes what was ignored before the run", "ignored.txt", false, []func(*fixture, string){write, func(f *fixture, _ string) { remove(f, ".git/info/exclude") }}, edits.MixedUnknown, ""},
		{"somebody takes it out of git, a tool writes, the run commits that it is out", "a.txt", true, []func(*fixture, string){untrack, write, commitStaged}, edits.MixedUnknown, edits.MixedUnknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			f.Commit("base", "a.txt", "a\n")
			f.Write(".git/info/exclude", "ignored.txt\n")
			f.Write("ignored.txt", "ignored\n")
			set := f.during(func() {}, func(ev *Evidence) {
				call := toolcalls.Call{Began: time.Now().Add(-time.Second)}
				if call.Names = []string{c.path}; c.byTool {
					call.Names, call.Wrote = nil, []toolcalls.Write{{Path: c.path, Before: textOf(f, c.path), After: toolcalls.TextID([]byte("the run's\n"))}}
				}
				call.Saw = toolcalls.Look(f.Dir, []string{c.path})
				for i := range call.Saw {
					if !call.Saw[i].ChangedAt.IsZero() {
						call.Saw[i].ChangedAt = gittest.Start.Add(-time.Hour) // as of a file from long before the run
					}
				}
				for _, act := range c.act {
					act(f, c.path)
				}
				call.Left, call.Ended = toolcalls.Look(f.Dir, []string{c.path}), time.Now()
				ev.Ended, ev.Tells, ev.Calls = time.Now(), true, []toolcalls.Call{call}
				ev.Keep = func([]byte) bool { return true }
			})
			left, err := edits.Load(f.Run)
			gittest.Must(t, err)
			committed, err := edits.LoadCommitted(f.Run)
			gittest.Must(t, err)
			want := []edits.Mixed{c.want, c.left}
			for _, e := range append(committed, left...) {
				if e.Path == c.path {
					gittest.Want(t, "mixed", string(e.Mixed), string(want[0]))
					want = want[1:]
				}
			}
			if len(want) == 2 {
				t.Errorf("it is not kept: %s", gittest.Show(set.Uncommitted))
			}
		})
	}
}

// textOf is the TextID of a file in the work tree.
func textOf(f *fixture, name string) string {
	data, err := os.ReadFile(f.Path(name))
	if err != nil {
		return toolcalls.NoText
	}
	return toolcalls.TextID(data)
}
