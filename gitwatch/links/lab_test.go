package links

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agentflow/gitwatch"
	"agentflow/internal/testing/gittest"
	"agentflow/internal/testing/runtest"
	"agentflow/memory"
	"agentflow/memory/retrieval"
)

// linked is a repository with entries that name its commits.
type linked struct {
	*runtest.Repo
	files Files
}

func newLinked(t *testing.T, init ...string) *linked {
	f := runtest.New(t)
	if len(init) > 0 {
		gittest.Must(t, os.RemoveAll(f.Path(".git")))
		f.Git(append([]string{"init", "-q", "-b", "main"}, init...)...)
	}
	f.Commit("base", "a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "base.txt", "base\n")
	return &linked{f, Files{Cache: filepath.Join(f.Run, "links"), Rewrites: filepath.Join(f.Run, "rewrites")}}
}

func (l *linked) rev(name string) string {
	l.T.Helper()
	return strings.TrimSpace(l.Git("rev-parse", name))
}

// entry is that of a run in which act happened.
func (l *linked) entry(act func(), change ...func(*gitwatch.Evidence)) *memory.Entry {
	l.T.Helper()
	*l.Ticks += 10
	started := l.Now()
	set := l.During(act, change...)
	*l.Ticks += 10
	return &memory.Entry{
		ID: fmt.Sprintf("entry%d", *l.Ticks), Kind: memory.KindRun, Time: started, Commits: set.Commits, Patch: set.Patch,
		Changes: set.Changes, Uncommitted: set.Uncommitted,
	}
}

// made is the entry of a run that made one commit.
func (l *linked) made(message string, files ...string) *memory.Entry {
	l.T.Helper()
	return l.entry(func() { l.Commit(message, files...) })
}

// links says what became of the commits of entries, in words: the subjects of
// those that they are now.
func (l *linked) links(entries ...*memory.Entry) string {
	l.T.Helper()
	links, err := Open(l.T.Context(), l.Open(), l.files)
	gittest.Must(l.T, err)
	found, err := links.Resolve(l.T.Context(), entries...)
	gittest.Must(l.T, err)
	var said []string
	for _, e := range entries {
		for _, c := range e.Commits {
			link := found[c.ID]
			words := string(link.State)
			if link.State == retrieval.LinkRewritten {
				words = "now " + strings.TrimSpace(l.Git("log", "-1", "--format=%s", link.Now))
			}
			said = append(said, words)
		}
	}
	gittest.Must(l.T, links.Save())
	return strings.Join(said, ", ")
}

// forget deletes what was found out.
func (l *linked) forget() {
	l.T.Helper()
	if err := os.Remove(l.files.Cache); err != nil && !errors.Is(err, fs.ErrNotExist) {
		l.T.Fatal(err)
	}
}

// collect removes every trace of objects that no reference leads to.
func (l *linked) collect() {
	l.T.Helper()
	l.Git("reflog", "expire", "--expire=now", "--all")
	l.Git("gc", "-q", "--prune=now")
}

// both wants the same from what was kept and from nothing.
func (l *linked) both(what, said string, entries ...*memory.Entry) {
	l.T.Helper()
	gittest.Want(l.T, what+", as kept", l.links(entries...), said)
	l.forget()
	gittest.Want(l.T, what+", anew", l.links(entries...), said)
}
