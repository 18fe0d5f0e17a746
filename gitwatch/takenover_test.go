package gitwatch

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"agentflow/gitwatch/edits"
	"agentflow/gitwatch/toolcalls"
	"agentflow/internal/testing/gittest"
	"agentflow/memory/changeset"
)

// toolAgent writes files with a file tool that reports what it found and left, and runs
// commands that name what they write.
type toolAgent struct {
	*fixture
	calls []toolcalls.Call
}

func (a *toolAgent) call(c toolcalls.Call) {
	c.Began, c.Ended = a.Now(), a.Now()
	a.calls = append(a.calls, c)
}

func (a *toolAgent) write(name, text string) {
	w := toolcalls.Write{Path: name, Before: textOf(a.fixture, name), After: toolcalls.TextID([]byte(text))}
	a.Write(name, text)
	a.call(toolcalls.Call{Wrote: []toolcalls.Write{w}})
}

// person runs git without the trace of the run.
func (a *toolAgent) person(args ...string) {
	a.Trace = false
	a.Git(args...)
	a.Trace = true
}

// TestTakenOver: what a file tool of the run wrote is the run's, wherever another person
// put it before the end. COMMIT stands for the last commit, STASH for that of the stash.
func TestTakenOver(t *testing.T) {
	const base, wrote = "1\n2\n3\n", "1\n2\n3\nfour\nfive\n"
	commit := func(a *toolAgent) {
		a.person("add", "-A")
		a.person("commit", "-qm", "the person's")
	}
	for _, c := range []struct {
		name                   string
		act                    func(a *toolAgent)
		uncommitted, meanwhile string
		mixed                  edits.Mixed
	}{
		{
			"a person commits", func(a *toolAgent) { a.write("a.txt", wrote); a.write("new.txt", "n\n"); commit(a) },
			"M a.txt +2 -0 (committed meanwhile in COMMIT)\nA new.txt +1 -0 (committed meanwhile in COMMIT)", "", "",
		},
		{
			"and amends", func(a *toolAgent) {
				a.write("a.txt", wrote)
				commit(a)
				a.Write("person.txt", "p\n")
				a.person("add", "-A")
				a.person("commit", "-q", "--amend", "-m", "amended")
			}, "M a.txt +2 -0 (committed meanwhile in COMMIT)", "A person.txt", "",
		},
		{
			"into the commit of before", func(a *toolAgent) { a.write("a.txt", wrote); a.person("commit", "-qa", "--amend", "-m", "amended") },
			"M a.txt +2 -0 (committed meanwhile in COMMIT)", "A a.txt", "",
		},
		{
			"a part of it", func(a *toolAgent) {
				a.write("a.txt", wrote)
				a.Write("a.txt", "1\n2\n3\nfour\n")
				commit(a)
				a.Write("a.txt", wrote)
			}, "M a.txt +2 -0 (partly committed meanwhile in COMMIT)", "M a.txt", "",
		},
		{
			"and the person edits it afterwards", func(a *toolAgent) { a.write("a.txt", wrote); commit(a); a.Write("a.txt", "person\n"+wrote) },
			"M a.txt +2 -0 (committed meanwhile in COMMIT)", "M a.txt", "",
		},
		{
			"and the person commits more of it", func(a *toolAgent) {
				a.write("a.txt", wrote)
				commit(a)
				a.person("tag", "took")
				a.Write("a.txt", "person\n"+wrote)
				commit(a)
			}, "M a.txt +2 -0 (committed meanwhile in TOOK)", "M a.txt", "",
		},
		{
			"the person edits it before", func(a *toolAgent) {
				a.Write("a.txt", "person\n"+base)
				commit(a)
				a.write("a.txt", "person\n"+wrote)
				commit(a)
			},
			"M a.txt +2 -0 (committed meanwhile in COMMIT)", "M a.txt", "",
		},
		{
			"the person edits and commits it", func(a *toolAgent) { a.write("a.txt", wrote); a.Write("a.txt", "person\n"+wrote); commit(a) },
			"M a.txt +3 -0 (committed meanwhile with other changes in COMMIT)", "M a.txt", edits.MixedYes,
		},
		{
			"the person amends, and edits and commits it", func(a *toolAgent) {
				a.person("commit", "-q", "--amend", "-m", "amended")
				a.write("a.txt", wrote)
				a.Write("a.txt", "person\n"+wrote)
				commit(a)
			}, "M a.txt +3 -0 (committed meanwhile with other changes in COMMIT)", "A a.txt", edits.MixedYes,
		},
		{
			"on another branch", func(a *toolAgent) {
				a.write("a.txt", wrote)
				a.person("checkout", "-qb", "side")
				commit(a)
				a.person("checkout", "-q", "main")
			}, "M a.txt +2 -0 (committed meanwhile in SIDE)", "", "",
		},
		{
			"on another branch, which stays", func(a *toolAgent) { a.write("a.txt", wrote); a.person("checkout", "-qb", "side"); commit(a) },
			"M a.txt +2 -0 (committed meanwhile in COMMIT)", "", "",
		},
		{
			"and rebases", func(a *toolAgent) {
				a.write("a.txt", wrote)
				commit(a)
				a.person("rebase", "-q", "other")
			}, "M a.txt +2 -0 (committed meanwhile in COMMIT)", "", "",
		},
		{
			"a person stashes", func(a *toolAgent) { a.write("a.txt", wrote); a.write("new.txt", "n\n"); a.person("stash", "-qu") },
			"M a.txt +2 -0 (stashed meanwhile as STASH)\nA new.txt +1 -0 (stashed meanwhile as UNTRACKED)", "", "",
		},
		{
			"and pops", func(a *toolAgent) { a.write("a.txt", wrote); a.person("stash", "-q"); a.person("stash", "pop", "-q") },
			"M a.txt +2 -0", "", "",
		},
		{
			"a person restores", func(a *toolAgent) {
				a.write("a.txt", wrote)
				a.write("new.txt", "n\n")
				a.person("checkout", "-q", "a.txt")
				gittest.Must(a.T, os.Remove(a.Path("new.txt")))
			}, "M a.txt (not in the work tree at the end)\nA new.txt (not in the work tree at the end)", "", "",
		},
		{
			"a person's edits are restored with it", func(a *toolAgent) { a.write("dirty.txt", wrote); a.person("checkout", "-q", "dirty.txt") },
			"M dirty.txt (not in the work tree at the end)", "", "",
		},
		{
			"the run takes it back", func(a *toolAgent) { a.write("a.txt", wrote); a.write("a.txt", base) }, "", "", "",
		},
		{
			"by a command", func(a *toolAgent) {
				a.write("new.txt", "n\n")
				gittest.Must(a.T, os.Remove(a.Path("new.txt")))
				a.call(toolcalls.Call{Names: []string{"new.txt"}})
			}, "", "", "",
		},
		{
			"in a commit of a person's", func(a *toolAgent) { a.write("a.txt", wrote); commit(a); a.write("a.txt", base); commit(a) }, "", "", "",
		},
		{
			"what git ignores", func(a *toolAgent) { a.write("x.log", "n\n"); gittest.Must(a.T, os.Remove(a.Path("x.log"))) }, "", "", "",
		},
		{
			"the run commits, writes more, a person commits that", func(a *toolAgent) {
				a.write("a.txt", "0\n"+base)
				a.Git("commit", "-qam", "the run's")
				a.write("a.txt", "0\n"+wrote)
				commit(a)
			}, "M a.txt +2 -0 (committed meanwhile in COMMIT)", "", "",
		},
		{
			"a person amends the run's commit", func(a *toolAgent) {
				a.write("a.txt", wrote)
				a.Git("commit", "-qam", "the run's")
				a.person("commit", "-q", "--amend", "-m", "reworded")
			}, "M a.txt +2 -0 (committed meanwhile in COMMIT)", "", "",
		},
		{
			"only a person's", func(a *toolAgent) { a.write("a.txt", wrote); a.Write("b.txt", "p\n"); commit(a) },
			"M a.txt +2 -0 (committed meanwhile in COMMIT)", "A b.txt", "",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := &toolAgent{fixture: newFixture(t)}
			a.Commit("base", "a.txt", base, "dirty.txt", "d\n", ".gitignore", "*.log\n")
			a.Git("branch", "other")
			a.Git("checkout", "-q", "other")
			a.Commit("other", "other.txt", "o\n")
			a.Git("checkout", "-q", "main")
			if strings.Contains(c.uncommitted, "dirty.txt") {
				a.Write("dirty.txt", "the person's\nd\n")
			}
			set := a.during(func() {
				c.act(a)
			}, func(ev *Evidence) {
				ev.Tells, ev.Calls = true, a.calls
				ev.Keep = func([]byte) bool { return true }
			})
			want := c.uncommitted
			for mark, rev := range map[string]string{"COMMIT": "HEAD", "TOOK": "took", "SIDE": "side", "STASH": "stash", "UNTRACKED": "stash^3"} {
				if id, err := a.Try("rev-parse", "--verify", "--quiet", rev); err == nil {
					want = strings.ReplaceAll(want, mark, id[:7])
				}
			}
			gittest.Want(t, "uncommitted", gittest.Show(set.Uncommitted), want)
			gittest.Want(t, "meanwhile", gittest.Show(set.Meanwhile), c.meanwhile)
			left, err := edits.Load(a.Run)
			if want == "" && errors.Is(err, fs.ErrNotExist) {
				return
			}
			gittest.Must(t, err)
			for _, e := range left {
				if gone := e.Elsewhere != nil && len(e.Elsewhere.Commits) == 0; e.Certainty != changeset.Shown || e.Mixed != c.mixed && !gone {
					t.Errorf("%+v is kept", e)
				}
			}
		})
	}
}
