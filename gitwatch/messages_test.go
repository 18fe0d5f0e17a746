package gitwatch

import (
	"strings"
	"testing"

	"agentflow/internal/testing/gittest"
)

// TestMessages: a run's commits with a body bring their messages, those that it only rebased do not.
func TestMessages(t *testing.T) {
	f := newFixture(t)
	f.Commit("base", "a.txt", "one\n")
	f.Git("checkout", "-qb", "side")
	f.Commit("mine", "b.txt", "b\n")
	f.Git("commit", "-q", "--amend", "-m", "mine", "-m", "The user's own words.")
	f.Git("checkout", "-q", "main")
	f.Commit("ahead", "c.txt", "c\n")
	f.Git("checkout", "-q", "side")
	set := f.during(func() {
		f.Git("rebase", "-q", "main")
		f.Write("a.txt", "two\n")
		f.Git("commit", "-qam", "count on", "-m", "One was\nnot enough.", "-m", "Tag: x")
		f.Write("a.txt", "three\n")
		f.Git("commit", "-qam", "count further")
	})
	gittest.Want(t, "messages", strings.Join(set.Messages, "|"), "count on\n\nOne was\nnot enough.\n\nTag: x")
}
