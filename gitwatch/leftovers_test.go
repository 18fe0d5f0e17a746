package gitwatch

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"agentflow/memory"
)

// later says which commits took over what a run left.
func (l *linked) later(e *memory.Entry) string {
	l.t.Helper()
	list, err := l.open().CommittedLater(l.t.Context(), e)
	must(l.t, err)
	var said []string
	for _, c := range list {
		said = append(said, fmt.Sprintf("%s %v", c.Subject, c.Paths))
	}
	return strings.Join(said, ", ")
}

func (l *linked) last() HistoryCommit {
	l.t.Helper()
	list, err := ReadCommits(l.t.Context(), l.dir, []string{l.rev("HEAD")})
	must(l.t, err)
	return list[0]
}

func TestCommittedByHand(t *testing.T) {
	l := newLinked(t)
	left := l.entry(func() {
		l.write("new [1]*.txt", "left\n")
		l.write("a.txt", "left\n")
		l.write("more.txt", "more\n")
		must(t, os.Remove(l.path("base.txt")))
	})
	other := l.entry(func() { l.write("more.txt", "other\n") }, func(ev *Evidence) { ev.Touched = []string{"more.txt"} })
	runs := NewLeftovers(left, other, &memory.Entry{ID: "note", Kind: memory.KindNote, Uncommitted: left.Uncommitted})
	want(t, "nothing yet", l.later(left), "")

	l.git("rm", "-q", "base.txt")
	l.git("commit", "-q", "-m", "only the deletion")
	want(t, "a deletion alone tells nothing", l.later(left)+fmt.Sprint(runs.Runs(l.last())), "[]")

	l.git("add", "new [1]*.txt", "a.txt")
	l.git("commit", "-q", "-m", "by hand")
	want(t, "runs", fmt.Sprint(runs.Runs(l.last())), "["+left.ID+"]")
	want(t, "later", l.later(left), "by hand [a.txt new [1]*.txt]")

	l.git("add", "more.txt")
	l.git("commit", "-q", "-m", "the other's")
	want(t, "runs", fmt.Sprint(runs.Runs(l.last())), "["+other.ID+"]")
	want(t, "later", l.later(other), "the other's [more.txt]")
	want(t, "edited since", l.later(left), "by hand [a.txt new [1]*.txt]")

	l.git("revert", "--no-edit", "HEAD~1")
	l.git("revert", "--no-edit", "HEAD")
	want(t, "only the first", l.later(left), "by hand [a.txt new [1]*.txt]")
	l.git("reset", "-q", "--hard", "HEAD~4")
	want(t, "gone", l.later(left), "")
}

// TestCommittedByHandOnlyDeletions: they tell when they are all there was.
func TestCommittedByHandOnlyDeletions(t *testing.T) {
	l := newLinked(t)
	l.commit("two", "two.txt", "two\n")
	e := l.entry(func() {
		must(t, os.Remove(l.path("base.txt")))
		must(t, os.Remove(l.path("two.txt")))
	})
	l.git("commit", "-q", "-m", "one of them", "base.txt")
	want(t, "half", l.later(e), "")
	l.git("reset", "-q", "--soft", "HEAD~1")
	l.git("add", "-A")
	l.git("commit", "-q", "-m", "both")
	want(t, "all", l.later(e), "both [base.txt two.txt]")
}

// TestCommittedByTheRun: the run's own commits and those from before are not
// by hand.
func TestCommittedByTheRun(t *testing.T) {
	l := newLinked(t)
	l.commit("before", "x.txt", "x\n")
	l.git("rm", "-q", "x.txt")
	l.git("commit", "-q", "-m", "rm")
	e := l.entry(func() {
		l.commit("own", "y.txt", "1\n")
		l.write("y.txt", "2\n")
		l.write("x.txt", "x\n")
	})
	want(t, "none", l.later(e), "")
	l.git("add", "-A")
	l.git("commit", "-q", "--amend", "-m", "own, with the rest")
	want(t, "amended", l.later(e), "own, with the rest [x.txt y.txt]")
	want(t, "link", l.links(e), "now own, with the rest")
}
