// Package runtest makes repositories with the real git in which runs happen,
// for the tests of packages that use the watcher.
package runtest

import (
	"testing"
	"time"

	"agentflow/gitwatch"
	"agentflow/gitwatch/toolcalls"
	"agentflow/internal/testing/gittest"
)

// Repo is a watched repository.
type Repo struct{ gittest.Repo }

// New makes an empty repository.
func New(t testing.TB) *Repo {
	t.Helper()
	return &Repo{*gittest.New(t)}
}

// At returns the same repository seen from another work tree.
func (f *Repo) At(dir, run string) *Repo { return &Repo{*f.Repo.At(dir, run)} }

// Open opens the repository.
func (f *Repo) Open() *gitwatch.Repo {
	f.T.Helper()
	r, err := gitwatch.Open(f.T.Context(), f.Dir)
	gittest.Must(f.T, err)
	return r
}

// During takes a snapshot, calls act with the ref trace on, and compares.
func (f *Repo) During(act func(), change ...func(*gitwatch.Evidence)) gitwatch.ChangeSet {
	f.T.Helper()
	return gittest.During(&f.Repo, f.Open(), act, func(started time.Time) gitwatch.Evidence {
		ev := gitwatch.Evidence{Dir: f.Run, Started: started, Ended: time.Now()}
		for _, c := range change {
			c(&ev)
		}
		return ev
	})
}

// Wrote sets the evidence of an agent that reports its calls: its file tools
// wrote these paths, and it did nothing else.
func Wrote(ev *gitwatch.Evidence, paths ...string) {
	ev.Tells = true
	for _, path := range paths {
		ev.Calls = append(ev.Calls, toolcalls.Call{Began: ev.Started, Ended: ev.Started, Wrote: []toolcalls.Write{{Path: path}}})
	}
}
