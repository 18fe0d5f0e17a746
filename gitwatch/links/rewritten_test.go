package links

import (
	"fmt"
	"os/exec"
	"testing"

	"agentflow/gitwatch/reflog"
	"agentflow/internal/testing/gittest"
	"agentflow/memory"
	"agentflow/memory/changeset"
)

func TestLinksAmend(t *testing.T) {
	l := newLinked(t)
	e := l.made("one", "a.txt", "one\n")
	l.both("before", "here", e)
	l.Git("commit", "-q", "--amend", "-m", "only the message")
	l.both("message", "now only the message", e)
	l.Write("a.txt", "quite another\n")
	l.Git("commit", "-qa", "--amend", "-m", "the patch too")
	l.both("patch", "now the patch too", e)
	l.Git("commit", "-q", "--amend", "--author=B <b@example.org>", "--date=2001-01-01T00:00:00Z", "-m", "author")
	l.both("author", "now author", e)
	l.collect()
	gittest.Want(t, "what was found out stays", l.links(e), "now author")
	l.forget()
	gittest.Want(t, "no reflog, no object: the patch is another", l.links(e), "gone")
}

func TestLinksAuthorOnly(t *testing.T) {
	l := newLinked(t)
	e := l.entry(func() {
		l.Commit("one", "a.txt", "one\n")
		l.Commit("two", "b.txt", "two\n")
	})
	l.Git("-c", "advice.detachedHead=false", "rebase", "-q", "--exec", "git commit -q --amend --no-edit --author='B <b@example.org>'", "HEAD~2")
	l.collect()
	l.both("by patch", "now one, now two", e)
}

func TestLinksRebase(t *testing.T) {
	l := newLinked(t)
	l.Git("checkout", "-q", "-b", "topic")
	first := l.made("first", "b.txt", "b\n")
	second := l.made("second", "a.txt", "one\n2\n3\n4\n5\n6\n7\n8\n9\n")
	l.Git("checkout", "-q", "main")
	l.Commit("main", "a.txt", "1\n2\n3\n4\n5\n6\n7\n8\nnine\n")
	l.Git("checkout", "-q", "topic")
	l.links(first, second)
	l.Git("rebase", "-q", "main")
	l.both("rebased", "now first, now second", first, second)
	l.collect()
	l.both("collected", "now first, now second", first, second)
}

// TestLinksConflict: where the patch is another, only git's own word counts.
func TestLinksConflict(t *testing.T) {
	l := newLinked(t)
	l.Git("checkout", "-q", "-b", "topic")
	e := l.made("topic", "a.txt", "topic\n")
	l.Git("checkout", "-q", "main")
	l.Commit("main", "a.txt", "main\n")
	l.Git("checkout", "-q", "topic")
	if _, err := l.Try("rebase", "-q", "main"); err == nil {
		t.Fatal("there was no conflict")
	}
	l.Write("a.txt", "main and topic\n")
	l.Git("add", "a.txt")
	l.Git("-c", "core.editor=true", "rebase", "--continue")
	l.both("without a record", "gone", e)
	gittest.Must(t, reflog.RecordRewrites(l.files.Rewrites, []reflog.Rewrite{{Old: e.Commits[0].ID, New: l.rev("HEAD")}}))
	l.both("with a record", "now topic", e)
	// The record's commit is rewritten once more, this time by its patch.
	l.Git("checkout", "-q", "main")
	l.Commit("more", "c.txt", "c\n")
	l.Git("checkout", "-q", "topic")
	l.Git("rebase", "-q", "main")
	l.both("rebased again", "now topic", e)
}

// sequence runs an interactive rebase, with its list of commands edited by sed.
func (l *linked) sequence(edit, onto string) {
	l.T.Helper()
	cmd := exec.Command("git", "rebase", "-q", "-i", onto)
	cmd.Dir, cmd.Env = l.Dir, append(l.Env(), "GIT_SEQUENCE_EDITOR=sed -i.bak -e '"+edit+"'")
	out, err := cmd.CombinedOutput()
	if err != nil {
		l.T.Fatalf("%v: %s", err, out)
	}
}

func TestLinksSquash(t *testing.T) {
	for _, step := range []string{"squash", "fixup"} {
		t.Run(step, func(t *testing.T) {
			l := newLinked(t)
			one := l.made("one", "one.txt", "1\n")
			two := l.made("two", "two.txt", "1\n")
			same := l.entry(func() {
				l.Commit("three", "a.txt", "one\n2\n3\n4\n5\n6\n7\n8\n9\n")
				l.Commit("four", "a.txt", "one\n2\n3\n4\n5\n6\n7\n8\nnine\n")
			})
			l.links(one, two, same)
			l.sequence("2s/^pick/"+step+"/;4s/^pick/"+step+"/", "HEAD~4")
			l.both("squashed", "now one, now one, now three, now three", one, two, same)
			l.collect()
			l.both("collected", "now one, now one, now three, now three", one, two, same)
		})
	}
}

// TestLinksSquashMerge: main has changes in another place of the same file, so that only the patch
// of all commits together is left.
func TestLinksSquashMerge(t *testing.T) {
	l := newLinked(t)
	l.Git("checkout", "-q", "-b", "topic")
	e := l.entry(func() {
		l.Commit("one", "a.txt", "one\n2\n3\n4\n5\n6\n7\n8\n9\n")
		l.Commit("two", "a.txt", "one\ntwo\n3\n4\n5\n6\n7\n8\n9\n")
	})
	l.Git("checkout", "-q", "main")
	l.Commit("main", "a.txt", "1\n2\n3\n4\n5\n6\n7\n8\nnine\n")
	l.links(e)
	l.Git("merge", "-q", "--squash", "topic")
	l.Git("commit", "-q", "-m", "topic, squashed")
	l.both("both there", "here, here", e)
	l.Git("branch", "-q", "-D", "topic")
	l.both("squashed", "now topic, squashed, now topic, squashed", e)
	l.collect()
	l.both("collected", "now topic, squashed, now topic, squashed", e)
}

func TestLinksCherryPick(t *testing.T) {
	l := newLinked(t)
	l.Git("checkout", "-q", "-b", "topic")
	e := l.made("topic", "b.txt", "b\n")
	l.Git("checkout", "-q", "main")
	l.Commit("main", "c.txt", "c\n")
	l.Git("cherry-pick", "topic")
	l.both("both there", "here", e)
	l.Git("branch", "-q", "-D", "topic")
	l.both("picked", "now topic", e)
	// A gone commit that is picked later is found among the new ones only.
	l.Git("reset", "-q", "--hard", "HEAD~1")
	gittest.Want(t, "reset", l.links(e), "gone")
	l.Git("cherry-pick", e.Commits[0].ID)
	gittest.Want(t, "picked later", l.links(e), "now topic")
}

// TestLinksBinary: patches of binary files say little; their ids count.
func TestLinksBinary(t *testing.T) {
	l := newLinked(t)
	one, two := l.made("one", "one.bin", "\x00one"), l.made("two", "two.bin", "\x00two")
	for _, e := range []*memory.Entry{one, two} {
		e.Changes = changeset.List{} // only the patch id is left
	}
	l.Git("reset", "-q", "--hard", "HEAD~2")
	l.Commit("another", "one.bin", "\x00another")
	l.Commit("the same", "two.bin", "\x00two")
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
	gittest.Want(t, "collected", l.links(one, two), "gone, now one")
}

// TestAmendsAreSiblings: a commit that a rebase rewords on top of another does not replace that
// one.
func TestAmendsAreSiblings(t *testing.T) {
	l := newLinked(t)
	l.Git("checkout", "-q", "-b", "topic")
	l.Commit("one", "b.txt", "b\n")
	l.Git("checkout", "-q", "main")
	l.Commit("main", "c.txt", "c\n")
	l.Git("checkout", "-q", "topic")
	l.sequence("1s/^pick/reword/", "main")
	next, err := readAmends(t.Context(), l.Open())
	gittest.Must(t, err)
	gittest.Want(t, "amends", fmt.Sprint(len(next[l.rev("main")])), "0")
}
