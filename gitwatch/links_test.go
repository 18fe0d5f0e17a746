package gitwatch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentflow/memory"
)

// linked is a repository whose commits entries name.
type linked struct {
	*fixture
	files LinkFiles
}

func newLinked(t *testing.T) *linked {
	f := newFixture(t)
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

func TestLinksAmend(t *testing.T) {
	l := newLinked(t)
	e := l.made("one", "a.txt", "one\n")
	l.both("before", "here", e)
	l.git("commit", "-q", "--amend", "-m", "only the message")
	l.both("message", "now only the message", e)
	l.write("a.txt", "quite another\n")
	l.git("commit", "-qa", "--amend", "-m", "the patch too")
	l.both("patch", "now the patch too", e)
	l.git("commit", "-q", "--amend", "--author=B <b@example.org>", "--date=2001-01-01T00:00:00Z", "-m", "author")
	l.both("author", "now author", e)
	l.collect()
	want(t, "what was found out stays", l.links(e), "now author")
	l.forget()
	want(t, "no reflog, no object: the patch is another", l.links(e), "gone")
}

func TestLinksAuthorOnly(t *testing.T) {
	l := newLinked(t)
	e := l.entry(func() {
		l.commit("one", "a.txt", "one\n")
		l.commit("two", "b.txt", "two\n")
	})
	l.git("-c", "advice.detachedHead=false", "rebase", "-q", "--exec", "git commit -q --amend --no-edit --author='B <b@example.org>'", "HEAD~2")
	l.collect()
	l.both("by patch", "now one, now two", e)
}

func TestLinksRebase(t *testing.T) {
	l := newLinked(t)
	l.git("checkout", "-q", "-b", "topic")
	first := l.made("first", "b.txt", "b\n")
	second := l.made("second", "a.txt", "one\n2\n3\n4\n5\n6\n7\n8\n9\n")
	l.git("checkout", "-q", "main")
	l.commit("main", "a.txt", "1\n2\n3\n4\n5\n6\n7\n8\nnine\n")
	l.git("checkout", "-q", "topic")
	l.links(first, second)
	l.git("rebase", "-q", "main")
	l.both("rebased", "now first, now second", first, second)
	l.collect()
	l.both("collected", "now first, now second", first, second)
}

// TestLinksConflict: where the patch is another, only git's own word counts.
func TestLinksConflict(t *testing.T) {
	l := newLinked(t)
	l.git("checkout", "-q", "-b", "topic")
	e := l.made("topic", "a.txt", "topic\n")
	l.git("checkout", "-q", "main")
	l.commit("main", "a.txt", "main\n")
	l.git("checkout", "-q", "topic")
	if _, err := l.try("rebase", "-q", "main"); err == nil {
		t.Fatal("there was no conflict")
	}
	l.write("a.txt", "main and topic\n")
	l.git("add", "a.txt")
	l.git("-c", "core.editor=true", "rebase", "--continue")
	l.both("without a record", "gone", e)
	must(t, RecordRewrites(l.files.Rewrites, []Rewrite{{e.Commits[0].ID, l.rev("HEAD")}}))
	l.both("with a record", "now topic", e)
	// The record's commit is rewritten once more, this time by its patch.
	l.git("checkout", "-q", "main")
	l.commit("more", "c.txt", "c\n")
	l.git("checkout", "-q", "topic")
	l.git("rebase", "-q", "main")
	l.both("rebased again", "now topic", e)
}

// sequence runs an interactive rebase whose list of commands sed edits.
func (l *linked) sequence(edit, onto string) {
	l.t.Helper()
	cmd := exec.Command("git", "rebase", "-q", "-i", onto)
	cmd.Dir, cmd.Env = l.dir, append(l.env(), "GIT_SEQUENCE_EDITOR=sed -i.bak -e '"+edit+"'")
	out, err := cmd.CombinedOutput()
	if err != nil {
		l.t.Fatalf("%v: %s", err, out)
	}
}

func TestLinksSquash(t *testing.T) {
	for _, step := range []string{"squash", "fixup"} {
		t.Run(step, func(t *testing.T) {
			l := newLinked(t)
			one := l.made("one", "one.txt", "1\n")
			two := l.made("two", "two.txt", "1\n")
			same := l.entry(func() {
				l.commit("three", "a.txt", "one\n2\n3\n4\n5\n6\n7\n8\n9\n")
				l.commit("four", "a.txt", "one\n2\n3\n4\n5\n6\n7\n8\nnine\n")
			})
			l.links(one, two, same)
			l.sequence("2s/^pick/"+step+"/;4s/^pick/"+step+"/", "HEAD~4")
			l.both("squashed", "now one, now one, now three, now three", one, two, same)
			l.collect()
			l.both("collected", "now one, now one, now three, now three", one, two, same)
		})
	}
}

// TestLinksSquashMerge: main went on in another place of the same file, so
// that only the patch of all commits together is left.
func TestLinksSquashMerge(t *testing.T) {
	l := newLinked(t)
	l.git("checkout", "-q", "-b", "topic")
	e := l.entry(func() {
		l.commit("one", "a.txt", "one\n2\n3\n4\n5\n6\n7\n8\n9\n")
		l.commit("two", "a.txt", "one\ntwo\n3\n4\n5\n6\n7\n8\n9\n")
	})
	l.git("checkout", "-q", "main")
	l.commit("main", "a.txt", "1\n2\n3\n4\n5\n6\n7\n8\nnine\n")
	l.links(e)
	l.git("merge", "-q", "--squash", "topic")
	l.git("commit", "-q", "-m", "topic, squashed")
	l.both("both there", "here, here", e)
	l.git("branch", "-q", "-D", "topic")
	l.both("squashed", "now topic, squashed, now topic, squashed", e)
	l.collect()
	l.both("collected", "now topic, squashed, now topic, squashed", e)
}

func TestLinksCherryPick(t *testing.T) {
	l := newLinked(t)
	l.git("checkout", "-q", "-b", "topic")
	e := l.made("topic", "b.txt", "b\n")
	l.git("checkout", "-q", "main")
	l.commit("main", "c.txt", "c\n")
	l.git("cherry-pick", "topic")
	l.both("both there", "here", e)
	l.git("branch", "-q", "-D", "topic")
	l.both("picked", "now topic", e)
	// A gone commit that is picked later is found among the new ones only.
	l.git("reset", "-q", "--hard", "HEAD~1")
	want(t, "reset", l.links(e), "gone")
	l.git("cherry-pick", e.Commits[0].ID)
	want(t, "picked later", l.links(e), "now topic")
}

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

// TestLinkCacheDamage: what is kept is given up, never believed, when it is
// not as it was written.
func TestLinkCacheDamage(t *testing.T) {
	l := newLinked(t)
	e := l.made("one", "b.txt", "b\n")
	want(t, "first", l.links(e), "here")
	whole, err := os.ReadFile(l.files.Cache)
	must(t, err)
	for i := range whole {
		data := append([]byte{}, whole...)
		data[i] ^= 1
		must(t, os.WriteFile(l.files.Cache, data, 0o600))
		if _, err := loadLinks(l.files.Cache); err == nil {
			t.Fatalf("byte %d was changed and nobody noticed", i)
		}
	}
	must(t, os.WriteFile(l.files.Cache, whole[:len(whole)-1], 0o600))
	want(t, "cut", l.links(e), "here")
	if _, err := loadLinks(l.files.Cache); err != nil {
		t.Error("it was not written anew")
	}
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

// TestLinksBinary: patches of binary files say little; their ids count.
func TestLinksBinary(t *testing.T) {
	l := newLinked(t)
	one, two := l.made("one", "one.bin", "\x00one"), l.made("two", "two.bin", "\x00two")
	for _, e := range []*memory.Entry{one, two} {
		e.Changes = memory.ChangeList{} // only the patch id is left
	}
	l.git("reset", "-q", "--hard", "HEAD~2")
	l.commit("another", "one.bin", "\x00another")
	l.commit("the same", "two.bin", "\x00two")
	l.collect()
	l.both("binary", "gone, now the same", one, two)
}

// TestLinksSquashedEdits: of edits of one file that were squashed only the
// last has left its contents; of the first git's reflog knows.
func TestLinksSquashedEdits(t *testing.T) {
	l := newLinked(t)
	one := l.made("one", "b.txt", "1\n")
	two := l.made("two", "b.txt", "1\n2\n")
	l.sequence("2s/^pick/squash/", "HEAD~2")
	l.both("squashed", "now one, now one", one, two)
	l.collect()
	l.forget()
	want(t, "collected", l.links(one, two), "gone, now one")
}

// TestAmendsAreSiblings: a commit that a rebase rewords on top of another does
// not stand in that one's place.
func TestAmendsAreSiblings(t *testing.T) {
	l := newLinked(t)
	l.git("checkout", "-q", "-b", "topic")
	l.commit("one", "b.txt", "b\n")
	l.git("checkout", "-q", "main")
	l.commit("main", "c.txt", "c\n")
	l.git("checkout", "-q", "topic")
	l.sequence("1s/^pick/reword/", "main")
	next, err := l.open().amends(t.Context())
	must(t, err)
	want(t, "amends", fmt.Sprint(len(next[l.rev("main")])), "0")
}

// TestLinkCacheBound: a cache that grew too large is begun anew.
func TestLinkCacheBound(t *testing.T) {
	l := newLinked(t)
	e := l.made("one", "b.txt", "b\n")
	links, err := l.open().Links(t.Context(), l.files)
	must(t, err)
	for n := range maxLinkCache / 40 {
		links.known.here.add(fmt.Sprintf("%040x", n))
	}
	links.changed = true
	must(t, links.Save())
	if info, err := os.Stat(l.files.Cache); err != nil || info.Size() > 100 {
		t.Fatalf("%v, error %v", info, err)
	}
	want(t, "anew", l.links(e), "here")
}

func TestIDSet(t *testing.T) {
	id := func(n int) string { return fmt.Sprintf("%040x", n) }
	var s idSet
	s.add(id(5), id(1), id(3))
	s = idSet{lines: joinLines(s.all())}
	s.add(id(4), id(3))
	s.remove([]string{id(1), id(9)})
	var got []string
	for n := range 7 {
		got = append(got, fmt.Sprint(s.has(id(n))))
	}
	want(t, "has", strings.Join(got, " "), "false false false true true true false")
}

func TestRewritesRecord(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rewrites")
	a, b, c := strings.Repeat("a", 40), strings.Repeat("b", 40), strings.Repeat("c", 40)
	must(t, RecordRewrites(file, nil))
	must(t, RecordRewrites(file, []Rewrite{{a, b}}))
	must(t, os.WriteFile(file, []byte(a+" "+b+"\nnonsense\n"+b+" "), 0o600)) // cut off
	must(t, RecordRewrites(file, []Rewrite{{b, c}}))
	next, err := readRewrites(file)
	must(t, err)
	want(t, "record", fmt.Sprint(len(next), next[a][0] == b, next[b][0] == c), "2 true true")
	for range 20 {
		must(t, RecordRewrites(file, slicesRepeat(Rewrite{a, b}, 2000)))
	}
	must(t, RecordRewrites(file, []Rewrite{{c, a}}))
	info, err := os.Stat(file)
	must(t, err)
	if next, err = readRewrites(file); err != nil || info.Size() > 2*maxRewrites || len(next[c]) != 1 {
		t.Errorf("%d bytes, error %v", info.Size(), err)
	}
}

func slicesRepeat(w Rewrite, n int) (list []Rewrite) {
	for range n {
		list = append(list, w)
	}
	return list
}
