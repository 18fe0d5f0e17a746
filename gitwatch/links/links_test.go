package links

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentflow/internal/testing/gittest"
	"agentflow/memory"
	"agentflow/memory/changeset"
	"agentflow/memory/retrieval"
)

func TestLinksGoneAndBack(t *testing.T) {
	l := newLinked(t)
	e := l.made("one", "b.txt", "b\n")
	l.Git("reset", "-q", "--hard", "HEAD~1")
	l.both("reset", "gone", e)
	l.Git("stash", "list")
	l.Git("branch", "back", e.Commits[0].ID)
	l.both("restored", "here", e)
	l.Git("branch", "-q", "-D", "back")
	l.both("deleted", "gone", e)
	l.Git("tag", "kept", e.Commits[0].ID)
	l.forget()
	gittest.Want(t, "tagged", l.links(e), "here")
	l.Git("tag", "-d", "kept")
	l.Commit("other", "other.txt", "other\n")
	l.both("untagged", "gone", e)
	l.collect()
	l.both("collected", "gone", e)
}

// TestLinksDetached: a commit on a detached HEAD is here, and gone when HEAD
// leaves it.
func TestLinksDetached(t *testing.T) {
	l := newLinked(t)
	l.Git("checkout", "-q", "--detach")
	e := l.made("one", "b.txt", "b\n")
	l.both("detached", "here", e)
	l.Git("checkout", "-q", "main")
	l.both("left", "gone", e)
	l.Git("worktree", "add", "-q", "--detach", "../other", e.Commits[0].ID)
	l.forget()
	gittest.Want(t, "in another work tree", l.links(e), "here")
	l.Git("worktree", "remove", "../other")
	l.Commit("more", "c.txt", "c\n")
	l.both("removed", "gone", e)
}

// TestLinksSHA256: ids are longer where git has them so.
func TestLinksSHA256(t *testing.T) {
	l := newLinked(t, "--object-format=sha256")
	amended, gone := l.made("one", "b.txt", "b\n"), l.made("two", "c.txt", "c\n")
	gittest.Want(t, "before", l.links(amended, gone), "here, here")
	l.Git("reset", "-q", "--hard", "HEAD~1")
	l.Git("commit", "-q", "--amend", "-m", "one, better")
	l.both("after", "now one, better, gone", amended, gone)
}

// TestLinksTipsCollected: results are dropped if they were found from tips that git no longer has.
func TestLinksTipsCollected(t *testing.T) {
	l := newLinked(t)
	kept := l.made("kept", "b.txt", "b\n")
	l.Git("checkout", "-q", "-b", "topic")
	gone, moved := l.made("gone", "c.txt", "c\n"), l.made("moved", "d.txt", "d\n")
	gittest.Want(t, "before", l.links(kept, gone, moved), "here, here, here")
	l.Git("checkout", "-q", "main")
	l.Commit("main", "e.txt", "e\n")
	l.Git("cherry-pick", "topic")
	l.Git("branch", "-q", "-D", "topic")
	l.collect()
	l.both("after", "here, gone, now moved", kept, gone, moved)
}

func TestLinksUnborn(t *testing.T) {
	l := newLinked(t)
	e := l.made("one", "b.txt", "b\n")
	l.Git("checkout", "-q", "--orphan", "fresh")
	l.Git("branch", "-q", "-D", "main")
	l.both("unborn", "gone", e)
}

// TestLinksShallow: what a clone did not get is never said to be gone.
func TestLinksShallow(t *testing.T) {
	l := newLinked(t)
	e := l.made("one", "b.txt", "b\n")
	reset := l.made("two", "c.txt", "c\n")
	l.Git("reset", "-q", "--hard", "HEAD~1")
	l.Commit("three", "d.txt", "d\n")
	last := l.made("four", "e.txt", "e\n")
	l.Git("clone", "-q", "--depth=2", "file://"+filepath.ToSlash(l.Dir), "../shallow")
	s := &linked{l.At(l.Path("../shallow"), l.Run+"2"), Files{Cache: filepath.Join(l.Run, "links2")}}
	s.both("shallow", "unknown, unknown, here", e, reset, last)
	s.Git("fetch", "-q", "--unshallow")
	gittest.Want(t, "whole", s.links(e, reset, last), "here, gone, here")
}

// TestLinksPartial: reading fetches nothing, and what may be elsewhere is not
// gone.
func TestLinksPartial(t *testing.T) {
	l := newLinked(t)
	l.Git("config", "uploadpack.allowFilter", "true")
	e := l.made("one", "b.txt", "b\n")
	l.Git("clone", "-q", "--filter=blob:none", "--no-checkout", "file://"+filepath.ToSlash(l.Dir), "../partial")
	p := &linked{l.At(l.Path("../partial"), l.Run+"2"), Files{Cache: filepath.Join(l.Run, "links2")}}
	p.both("partial", "here", e)
	p.Git("update-ref", "refs/heads/main", "HEAD~1")
	p.Git("update-ref", "-d", "refs/remotes/origin/main")
	p.Git("update-ref", "-d", "refs/remotes/origin/HEAD")
	p.both("lost", "unknown", e)
}

// TestLinksForcePush: another clone pulls what was rewritten here.
func TestLinksForcePush(t *testing.T) {
	l := newLinked(t)
	l.Git("clone", "-q", "--bare", ".", "../origin.git")
	l.Git("remote", "add", "origin", "../origin.git")
	e := l.made("one", "b.txt", "b\n")
	gone := l.made("two", "c.txt", "c\n")
	l.Git("push", "-q", "origin", "main")
	l.Git("clone", "-q", "../origin.git", "../other")
	o := &linked{l.At(l.Path("../other"), l.Run+"2"), Files{Cache: filepath.Join(l.Run, "links2")}}
	gittest.Want(t, "cloned", o.links(e, gone), "here, here")
	l.Git("reset", "-q", "--hard", "HEAD~1")
	l.Git("commit", "-q", "--amend", "-m", "one, better")
	l.Git("push", "-q", "--force", "origin", "main")
	o.Git("fetch", "-q")
	gittest.Want(t, "fetched: still on a branch", o.links(e, gone), "here, here")
	o.Git("reset", "-q", "--hard", "origin/main")
	o.both("pulled", "now one, better, gone", e, gone)
}

// TestLinksOfOldEntries: older entries have neither blobs nor every patch id. They are completed
// from the commits themselves, as long as git has them.
func TestLinksOfOldEntries(t *testing.T) {
	l := newLinked(t)
	e := l.entry(func() {
		l.Commit("one", "b.txt", "b\n")
		l.Git("commit", "-q", "--allow-empty", "-m", "nothing")
		l.Commit("two", "c.txt", "c\n")
	})
	gittest.Want(t, "patches", fmt.Sprint(len(e.Patch), e.Patch[1] == ""), "4 true")
	e.Patch = []string{e.Patch[0], e.Patch[2]}
	for i := range e.Changes.Items {
		e.Changes.Items[i].Blob = ""
	}
	l.Git("checkout", "-q", "-b", "copy", "HEAD~3")
	l.Commit("before", "d.txt", "d\n")
	l.Git("cherry-pick", "main~2", "main")
	l.Git("branch", "-q", "-D", "main")
	l.both("by their objects", "now one, gone, now two", e)
}

// TestLinksCannotRead: a failed read is never "gone".
func TestLinksCannotRead(t *testing.T) {
	l := newLinked(t)
	e := l.made("one", "b.txt", "b\n")
	l.Git("reset", "-q", "--hard", "HEAD~1")
	links, err := Open(t.Context(), l.Open(), l.files)
	gittest.Must(t, err)
	t.Setenv("PATH", t.TempDir())
	found, err := links.Resolve(t.Context(), e)
	if err == nil || found[e.Commits[0].ID].State != retrieval.LinkUnknown {
		t.Errorf("without git: %v, error %v", found, err)
	}
}

func TestLinksOddIDs(t *testing.T) {
	l := newLinked(t)
	e := &memory.Entry{ID: "x", Time: time.Unix(0, 0), Commits: []changeset.Commit{{ID: "abc"}, {ID: "--all"}, {ID: ""}, {ID: strings.Repeat("1", 40)}}}
	l.both("odd", "unknown, unknown, unknown, gone", e)
}

// TestLinksNotTheEarlier: what was done before, undone and done again is not
// what was done last.
func TestLinksNotTheEarlier(t *testing.T) {
	l := newLinked(t)
	older := l.made("older", "c.txt", "c\n")
	l.Git("reset", "-q", "--hard", "HEAD~1")
	l.Commit("one", "b.txt", "b\n")
	l.Git("rm", "-q", "b.txt")
	l.Git("commit", "-q", "-m", "undone")
	e := l.made("again", "b.txt", "b\n")
	l.Git("reset", "-q", "--hard", "HEAD~1")
	l.both("reset", "gone, gone", older, e)
}
