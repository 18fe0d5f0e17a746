package gitwatch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentflow/memory"
)

// linked is a repository whose commits entries name.
type linked struct {
	*fixture
	files LinkFiles
}

func newLinked(t *testing.T, init ...string) *linked {
	f := newFixture(t)
	if len(init) > 0 {
		must(t, os.RemoveAll(f.path(".git")))
		f.git(append([]string{"init", "-q", "-b", "main"}, init...)...)
	}
	f.commit("base", "a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "base.txt", "base\n")
	return &linked{f, LinkFiles{Cache: filepath.Join(f.run, "links"), Rewrites: filepath.Join(f.run, "rewrites")}}
}

func (l *linked) rev(name string) string {
	l.t.Helper()
	return strings.TrimSpace(l.git("rev-parse", name))
}

// entry is that of a run in which act happened.
func (l *linked) entry(act func(), change ...func(*Evidence)) *memory.Entry {
	l.t.Helper()
	*l.ticks += 10
	started := l.now()
	set := l.during(act, change...)
	*l.ticks += 10
	return &memory.Entry{
		ID: fmt.Sprintf("entry%d", *l.ticks), Kind: memory.KindRun, Time: started, Commits: set.Commits, Patch: set.Patch,
		Changes: set.Changes, Uncommitted: set.Uncommitted,
	}
}

// made is the entry of a run that made one commit.
func (l *linked) made(message string, files ...string) *memory.Entry {
	l.t.Helper()
	return l.entry(func() { l.commit(message, files...) })
}

// links says what became of the commits of entries, in words: the subjects of
// those that they are now.
func (l *linked) links(entries ...*memory.Entry) string {
	l.t.Helper()
	links, err := l.open().Links(l.t.Context(), l.files)
	must(l.t, err)
	found, err := links.Resolve(l.t.Context(), entries...)
	must(l.t, err)
	var said []string
	for _, e := range entries {
		for _, c := range e.Commits {
			link := found[c.ID]
			words := string(link.State)
			if link.State == memory.LinkRewritten {
				words = "now " + strings.TrimSpace(l.git("log", "-1", "--format=%s", link.Now))
			}
			said = append(said, words)
		}
	}
	must(l.t, links.Save())
	return strings.Join(said, ", ")
}

// forget deletes what was found out.
func (l *linked) forget() {
	l.t.Helper()
	if err := os.Remove(l.files.Cache); err != nil && !errors.Is(err, fs.ErrNotExist) {
		l.t.Fatal(err)
	}
}

// collect takes every trace of what no reference leads to.
func (l *linked) collect() {
	l.t.Helper()
	l.git("reflog", "expire", "--expire=now", "--all")
	l.git("gc", "-q", "--prune=now")
}

// both wants the same from what was kept and from nothing.
func (l *linked) both(what, said string, entries ...*memory.Entry) {
	l.t.Helper()
	want(l.t, what+", as kept", l.links(entries...), said)
	l.forget()
	want(l.t, what+", anew", l.links(entries...), said)
}
