package links

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"agentflow/gitwatch"
	"agentflow/gitwatch/history"
	"agentflow/internal/testing/gittest"
	"agentflow/internal/testing/runtest"
	"agentflow/memory"
)

// later says which commits took over what a run left.
func (l *linked) later(e *memory.Entry) string {
	l.T.Helper()
	list, err := CommittedLater(l.T.Context(), l.Open(), e)
	gittest.Must(l.T, err)
	var said []string
	for _, c := range list {
		said = append(said, fmt.Sprintf("%s %v", c.Subject, c.Paths))
	}
	return strings.Join(said, ", ")
}

func (l *linked) last() history.Commit {
	l.T.Helper()
	list, err := history.Read(l.T.Context(), l.Dir, []string{l.rev("HEAD")})
	gittest.Must(l.T, err)
	return list[0]
}

func TestCommittedByHand(t *testing.T) {
	l := newLinked(t)
	left := l.entry(func() {
		l.Write("new [1]*.txt", "left\n")
		l.Write("a.txt", "left\n")
		l.Write("more.txt", "more\n")
		gittest.Must(t, os.Remove(l.Path("base.txt")))
	})
	other := l.entry(func() { l.Write("more.txt", "other\n") }, func(ev *gitwatch.Evidence) { runtest.Wrote(ev, "more.txt") })
	runs := NewLeftovers(left, other, &memory.Entry{ID: "note", Kind: memory.KindNote, Uncommitted: left.Uncommitted})
	gittest.Want(t, "nothing yet", l.later(left), "")

	l.Git("rm", "-q", "base.txt")
	l.Git("commit", "-q", "-m", "only the deletion")
	gittest.Want(t, "a deletion alone tells nothing", l.later(left)+fmt.Sprint(runs.Runs(l.last())), "[]")

	l.Git("add", "new [1]*.txt", "a.txt")
	l.Git("commit", "-q", "-m", "by hand")
	gittest.Want(t, "runs", fmt.Sprint(runs.Runs(l.last())), "["+left.ID+"]")
	gittest.Want(t, "later", l.later(left), "by hand [a.txt new [1]*.txt]")

	l.Git("add", "more.txt")
	l.Git("commit", "-q", "-m", "the other's")
	gittest.Want(t, "runs", fmt.Sprint(runs.Runs(l.last())), "["+other.ID+"]")
	gittest.Want(t, "later", l.later(other), "the other's [more.txt]")
	gittest.Want(t, "edited since", l.later(left), "by hand [a.txt new [1]*.txt]")

	l.Git("revert", "--no-edit", "HEAD~1")
	l.Git("revert", "--no-edit", "HEAD")
	gittest.Want(t, "only the first", l.later(left), "by hand [a.txt new [1]*.txt]")
	l.Git("reset", "-q", "--hard", "HEAD~4")
	gittest.Want(t, "gone", l.later(left), "")
}

// TestCommittedByHandOnlyDeletions: deletions prove something if nothing else was left.
func TestCommittedByHandOnlyDeletions(t *testing.T) {
	l := newLinked(t)
	l.Commit("two", "two.txt", "two\n")
	e := l.entry(func() {
		gittest.Must(t, os.Remove(l.Path("base.txt")))
		gittest.Must(t, os.Remove(l.Path("two.txt")))
	})
	l.Git("commit", "-q", "-m", "one of them", "base.txt")
	gittest.Want(t, "half", l.later(e), "")
	l.Git("reset", "-q", "--soft", "HEAD~1")
	l.Git("add", "-A")
	l.Git("commit", "-q", "-m", "both")
	gittest.Want(t, "all", l.later(e), "both [base.txt two.txt]")
}

// TestCommittedByTheRun: the run's own commits and those from before are not
// by hand.
func TestCommittedByTheRun(t *testing.T) {
	l := newLinked(t)
	l.Commit("before", "x.txt", "x\n")
	l.Git("rm", "-q", "x.txt")
	l.Git("commit", "-q", "-m", "rm")
	e := l.entry(func() {
		l.Commit("own", "y.txt", "1\n")
		l.Write("y.txt", "2\n")
		l.Write("x.txt", "x\n")
	})
	gittest.Want(t, "none", l.later(e), "")
	l.Git("add", "-A")
	l.Git("commit", "-q", "--amend", "-m", "own, with the rest")
	gittest.Want(t, "amended", l.later(e), "own, with the rest [x.txt y.txt]")
	gittest.Want(t, "link", l.links(e), "now own, with the rest")
}
