package gitwatch

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentflow/memory"
)

func TestLinksGoneAndBack(t *testing.T) {
	l := newLinked(t)
	e := l.made("one", "b.txt", "b\n")
	l.git("reset", "-q", "--hard", "HEAD~1")
	l.both("reset", "gone", e)
	l.git("stash", "list")
	l.git("branch", "back", e.Commits[0].ID)
	l.both("restored", "here", e)
	l.git("branch", "-q", "-D", "back")
	l.both("deleted", "gone", e)
	l.git("tag", "kept", e.Commits[0].ID)
	l.forget()
	want(t, "tagged", l.links(e), "here")
	l.git("tag", "-d", "kept")
	l.commit("other", "other.txt", "other\n")
	l.both("untagged", "gone", e)
	l.collect()
	l.both("collected", "gone", e)
}

// TestLinksDetached: a commit on a detached HEAD is here, and gone when HEAD
// leaves it.
func TestLinksDetached(t *testing.T) {
	l := newLinked(t)
	l.git("checkout", "-q", "--detach")
	e := l.made("one", "b.txt", "b\n")
	l.both("detached", "here", e)
	l.git("checkout", "-q", "main")
	l.both("left", "gone", e)
	l.git("worktree", "add", "-q", "--detach", "../other", e.Commits[0].ID)
	l.forget()
	want(t, "in another work tree", l.links(e), "here")
	l.git("worktree", "remove", "../other")
	l.commit("more", "c.txt", "c\n")
	l.both("removed", "gone", e)
}

// TestLinksSHA256: ids are longer where git has them so.
func TestLinksSHA256(t *testing.T) {
	l := newLinked(t, "--object-format=sha256")
	amended, gone := l.made("one", "b.txt", "b\n"), l.made("two", "c.txt", "c\n")
	want(t, "before", l.links(amended, gone), "here, here")
	l.git("reset", "-q", "--hard", "HEAD~1")
	l.git("commit", "-q", "--amend", "-m", "one, better")
	l.both("after", "now one, better, gone", amended, gone)
}

// TestLinksTipsCollected: what is known goes by tips that git has no more.
func TestLinksTipsCollected(t *testing.T) {
	l := newLinked(t)
	kept := l.made("kept", "b.txt", "b\n")
	l.git("checkout", "-q", "-b", "topic")
	gone, moved := l.made("gone", "c.txt", "c\n"), l.made("moved", "d.txt", "d\n")
	want(t, "before", l.links(kept, gone, moved), "here, here, here")
	l.git("checkout", "-q", "main")
	l.commit("main", "e.txt", "e\n")
	l.git("cherry-pick", "topic")
	l.git("branch", "-q", "-D", "topic")
	l.collect()
	l.both("after", "here, gone, now moved", kept, gone, moved)
}

func TestLinksUnborn(t *testing.T) {
	l := newLinked(t)
	e := l.made("one", "b.txt", "b\n")
	l.git("checkout", "-q", "--orphan", "fresh")
	l.git("branch", "-q", "-D", "main")
	l.both("unborn", "gone", e)
}

// TestLinksShallow: what a clone did not get is never said to be gone.
func TestLinksShallow(t *testing.T) {
	l := newLinked(t)
	e := l.made("one", "b.txt", "b\n")
	reset := l.made("two", "c.txt", "c\n")
	l.git("reset", "-q", "--hard", "HEAD~1")
	l.commit("three", "d.txt", "d\n")
	last := l.made("four", "e.txt", "e\n")
	l.git("clone", "-q", "--depth=2", "file://"+filepath.ToSlash(l.dir), "../shallow")
	s := &linked{l.at(l.path("../shallow"), l.run+"2"), LinkFiles{Cache: filepath.Join(l.run, "links2")}}
	s.both("shallow", "unknown, unknown, here", e, reset, last)
	s.git("fetch", "-q", "--unshallow")
	want(t, "whole", s.links(e, reset, last), "here, gone, here")
}

// TestLinksPartial: reading fetches nothing, and what may be elsewhere is not
// gone.
func TestLinksPartial(t *testing.T) {
	l := newLinked(t)
	l.git("config", "uploadpack.allowFilter", "true")
	e := l.made("one", "b.txt", "b\n")
	l.git("clone", "-q", "--filter=blob:none", "--no-checkout", "file://"+filepath.ToSlash(l.dir), "../partial")
	p := &linked{l.at(l.path("../partial"), l.run+"2"), LinkFiles{Cache: filepath.Join(l.run, "links2")}}
	p.both("partial", "here", e)
	p.git("update-ref", "refs/heads/main", "HEAD~1")
	p.git("update-ref", "-d", "refs/remotes/origin/main")
	p.git("update-ref", "-d", "refs/remotes/origin/HEAD")
	p.both("lost", "unknown", e)
}

// TestLinksForcePush: another clone pulls what was rewritten here.
func TestLinksForcePush(t *testing.T) {
	l := newLinked(t)
	l.git("clone", "-q", "--bare", ".", "../origin.git")
	l.git("remote", "add", "origin", "../origin.git")
	e := l.made("one", "b.txt", "b\n")
	gone := l.made("two", "c.txt", "c\n")
	l.git("push", "-q", "origin", "main")
	l.git("clone", "-q", "../origin.git", "../other")
	o := &linked{l.at(l.path("../other"), l.run+"2"), LinkFiles{Cache: filepath.Join(l.run, "links2")}}
	want(t, "cloned", o.links(e, gone), "here, here")
	l.git("reset", "-q", "--hard", "HEAD~1")
	l.git("commit", "-q", "--amend", "-m", "one, better")
	l.git("push", "-q", "--force", "origin", "main")
	o.git("fetch", "-q")
	want(t, "fetched: still on a branch", o.links(e, gone), "here, here")
	o.git("reset", "-q", "--hard", "origin/main")
	o.both("pulled", "now one, better, gone", e, gone)
}

// TestLinksOfOldEntries: entries of before know neither blobs nor every patch
// id; the commits themselves tell, as long as git has them.
func TestLinksOfOldEntries(t *testing.T) {
	l := newLinked(t)
	e := l.entry(func() {
		l.commit("one", "b.txt", "b\n")
		l.git("commit", "-q", "--allow-empty", "-m", "nothing")
		l.commit("two", "c.txt", "c\n")
	})
	want(t, "patches", fmt.Sprint(len(e.Patch), e.Patch[1] == ""), "4 true")
	e.Patch = []string{e.Patch[0], e.Patch[2]}
	for i := range e.Changes.Items {
		e.Changes.Items[i].Blob = ""
	}
	l.git("checkout", "-q", "-b", "copy", "HEAD~3")
	l.commit("before", "d.txt", "d\n")
	l.git("cherry-pick", "main~2", "main")
	l.git("branch", "-q", "-D", "main")
	l.both("by their objects", "now one, gone, now two", e)
}

// TestLinksCannotRead: a failed read is never "gone".
func TestLinksCannotRead(t *testing.T) {
	l := newLinked(t)
	e := l.made("one", "b.txt", "b\n")
	l.git("reset", "-q", "--hard", "HEAD~1")
	links, err := l.open().Links(t.Context(), l.files)
	must(t, err)
	t.Setenv("PATH", t.TempDir())
	found, err := links.Resolve(t.Context(), e)
	if err == nil || found[e.Commits[0].ID].State != memory.LinkUnknown {
		t.Errorf("without git: %v, error %v", found, err)
	}
}

func TestLinksOddIDs(t *testing.T) {
	l := newLinked(t)
	e := &memory.Entry{ID: "x", Time: time.Unix(0, 0), Commits: []memory.Commit{{ID: "abc"}, {ID: "--all"}, {ID: ""}, {ID: strings.Repeat("1", 40)}}}
	l.both("odd", "unknown, unknown, unknown, gone", e)
}

// TestLinksNotTheEarlier: what was done before, undone and done again is not
// what was done last.
func TestLinksNotTheEarlier(t *testing.T) {
	l := newLinked(t)
	older := l.made("older", "c.txt", "c\n")
	l.git("reset", "-q", "--hard", "HEAD~1")
	l.commit("one", "b.txt", "b\n")
	l.git("rm", "-q", "b.txt")
	l.git("commit", "-q", "-m", "undone")
	e := l.made("again", "b.txt", "b\n")
	l.git("reset", "-q", "--hard", "HEAD~1")
	l.both("reset", "gone, gone", older, e)
}
