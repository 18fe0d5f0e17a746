package gitwatch

import (
	"os"
	"sort"
	"strings"
	"testing"
	"time"

	"agentflow/gitwatch/toolcalls"
	"agentflow/internal/testing/gittest"
	"agentflow/memory/changeset"
)

// fixture is a repository that is watched.
type fixture struct{ gittest.Repo }

func newFixture(t testing.TB) *fixture {
	t.Helper()
	return &fixture{*gittest.New(t)}
}

// at is the same repository seen from another work tree.
func (f *fixture) at(dir, run string) *fixture { return &fixture{*f.Repo.At(dir, run)} }

func (f *fixture) open() *Repo {
	f.T.Helper()
	r, err := Open(f.T.Context(), f.Dir)
	gittest.Must(f.T, err)
	return r
}

// during takes a snapshot, lets act happen with the ref trace on, and
// compares.
func (f *fixture) during(act func(), change ...func(*Evidence)) ChangeSet {
	f.T.Helper()
	return gittest.During(&f.Repo, f.open(), act, func(started time.Time) Evidence {
		ev := Evidence{Dir: f.Run, Started: started, Ended: time.Now()}
		for _, c := range change {
			c(&ev)
		}
		return ev
	})
}

func subjectsOf(commits []changeset.Commit) string {
	var s []string
	for _, c := range commits {
		s = append(s, c.Subject)
	}
	return strings.Join(s, ", ")
}

// gitDiff is what the git binary says about two trees, rendered as show does.
func (f *fixture) gitDiff(a, b string) string {
	f.T.Helper()
	names := fields(f.Git("diff", "-M", "--no-ext-diff", "--name-status", "-z", a, b))
	numbers := fields(f.Git("diff", "-M", "--no-ext-diff", "--numstat", "-z", a, b))
	var lines []string
	for len(names) > 0 {
		status, path := names[0], names[1]
		names = names[2:]
		head := status + " " + path
		if status[0] == 'R' {
			head = "R " + names[0] + " <- " + path
			path, names = names[0], names[1:]
		}
		count := strings.SplitN(numbers[0], "\t", 3)
		numbers = numbers[1:]
		if count[2] == "" {
			numbers = numbers[2:] // a rename's two names are separate fields
		}
		if count[0] != "-" {
			head += " +" + count[0] + " -" + count[1]
		}
		lines = append(lines, path+"\x00"+head)
	}
	sort.Strings(lines)
	for i, l := range lines {
		_, lines[i], _ = strings.Cut(l, "\x00")
	}
	return strings.Join(lines, "\n")
}

func fields(z string) []string {
	if z == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(z, "\x00"), "\x00")
}

// wrote sets the evidence of an agent that reports its calls: its file tools wrote these paths, and
// it did nothing else.
func wrote(ev *Evidence, paths ...string) {
	ev.Tells = true
	for _, path := range paths {
		ev.Calls = append(ev.Calls, toolcalls.Call{Began: ev.Started, Ended: ev.Started, Wrote: []toolcalls.Write{{Path: path}}})
	}
}

func onDisk(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
