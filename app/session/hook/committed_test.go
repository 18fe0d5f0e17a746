package hook

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"agentflow/app/api"
	"agentflow/app/commit"

	. "agentflow/internal/testing/sessiontest"
)

// longLine is a line that makes a file so large that the CLI does not report the text before an edit.
var longLine = strings.Repeat("one ", 3000)

// TestCommitOfWhatWasLeft: a person who commits the text that a session left in a file changes
// nothing meanwhile, even if the agent's tool did not report the text.
func TestCommitOfWhatWasLeft(t *testing.T) {
	for name, c := range map[string]struct {
		writes Act
		person string
		want   string
	}{
		"written": {Write("walk.rs", longLine+"\n2\n"), "git commit -qam 2", "session: Change it | | M walk.rs |"},
		"edited":  {Edit("walk.rs", "two", "2"), "git commit -qam 2", "session: Change it | | M walk.rs |"},
		"changed before": {func(p *Player) {
			p.Write("walk.rs", longLine+"\ntwo\nby hand\n")
			Edit("walk.rs", "two", "2")(p)
		}, "git commit -qam 2", "session: Change it | | M walk.rs | M walk.rs"},
		"changed after":  {Edit("walk.rs", "two", "2"), "echo three >> walk.rs; git commit -qam 2", "session: Change it | | M walk.rs | M walk.rs"},
		"in two commits": {Edit("walk.rs", "two", "2"), "git commit -qam 2; echo three >> walk.rs; git commit -qam 3", "session: Change it | | M walk.rs | M walk.rs"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			p := l.based()
			p.Turn("Change it", c.writes, Say("It is 2, because that is shorter."))
			l.person(c.person)
			p.End("prompt_input_exit")
			l.want(c.want)
		})
	}
}

// TestWhyKnowsWhatAPersonCommitted: a line that an open session wrote and a person committed names
// the session, even if the commit has an entry. Other lines of commits do not.
func TestWhyKnowsWhatAPersonCommitted(t *testing.T) {
	for name, writes := range map[string]Act{
		"written": Write("walk.rs", longLine+"\n2\n"),
		"edited":  Edit("walk.rs", "two", "2"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			p := l.based()
			p.Turn("Change it", writes, Say("It is 2, because that is shorter."))
			l.person("git commit -qam shorter")
			o := l.whyOf("walk.rs:2")
			if !isOpen(o) || !slices.Equal(o.Entry.Turns, []int{1}) || o.Commit == nil || o.Remark != "committed since in "+o.Commit.ID[:7] {
				t.Errorf("the session's line: %+v, entry %+v", o, o.Entry)
			}
			if o := l.whyOf("walk.rs:1"); isOpen(o) {
				t.Errorf("a line from before: %+v, entry %+v", o, o.Entry)
			}
			l.backfill()
			if o := l.whyOf("walk.rs:2"); !isOpen(o) {
				t.Errorf("the commit has an entry: %+v, entry %+v", o, o.Entry)
			}
			p.End("prompt_input_exit")
			if o := l.whyOf("walk.rs:2"); o.Entry == nil || o.Entry.Open || o.Entry.Task != "Change it" {
				t.Errorf("the session is over: %+v, entry %+v", o, o.Entry)
			}
		})
	}
}

// TestWhyLeavesAPersonsCommit: a commit with another text than the open session left is not the
// session's.
func TestWhyLeavesAPersonsCommit(t *testing.T) {
	l := newLab(t)
	p := l.based()
	p.Turn("Change it", Write("walk.rs", longLine+"\n2\n"), Say("It is 2, because that is shorter."))
	l.person("git checkout -q walk.rs; echo three >> walk.rs; git commit -qam mine; echo four >> walk.rs; git commit -qam mine")
	if o := l.whyOf("walk.rs:4"); isOpen(o) {
		t.Errorf("%+v, entry %+v", o, o.Entry)
	}
}

// TestWhyKnowsWhenASessionWrote: a commit from before the session's write does not hold it, even if
// the change is the same. A write after a checkout begins with the text of the checkout.
func TestWhyKnowsWhenASessionWrote(t *testing.T) {
	l := newLab(t)
	p := l.based()
	p.Turn("Change it", func(p *Player) {
		l.person("sed -i s/two/2/ walk.rs; git commit -qam mine; git checkout -q HEAD^ -- walk.rs")
		p.Skew = 3 * time.Second
	}, Edit("walk.rs", "two", "2"), Say("It is 2, because that is shorter."))
	if o := l.whyOf("walk.rs:2"); isOpen(o) {
		t.Errorf("a commit from before: %+v, entry %+v", o, o.Entry)
	}
	l = newLab(t)
	l.Write("small.rs", "two\n")
	l.Git("add", "-A")
	p = l.based()
	p.Turn("Change it", Edit("small.rs", "two", "2"), Say("It is 2, because that is shorter."))
	l.person("git checkout -q small.rs")
	p.Turn("Change it otherwise", Edit("small.rs", "two", "3"), Say("It is 3, because that is more."))
	l.person("git commit -qam three")
	if o := l.whyOf("small.rs:1"); !isOpen(o) {
		t.Errorf("after a checkout: %+v, entry %+v", o, o.Entry)
	}
}

// TestWhyNamesTheOpenSessionFirst: after a reset, an open session that made the same change goes
// before a finished one that possibly did.
func TestWhyNamesTheOpenSessionFirst(t *testing.T) {
	l := newLab(t)
	p := l.based()
	p.Turn("First", Edit("walk.rs", "two", "2"), Say("It is 2, because that is shorter."))
	p.End("prompt_input_exit")
	l.person("git checkout -q walk.rs")
	p = l.player()
	p.Start("startup")
	p.Turn("Again", Edit("walk.rs", "two", "2"), Say("It is 2, because that is shorter."))
	if o := l.whyOf("walk.rs:2"); !isOpen(o) || o.Entry.Task != "Again" {
		t.Errorf("not committed: %+v, entry %+v", o, o.Entry)
	}
	l.person("git commit -qam shorter")
	if o := l.whyOf("walk.rs:2"); !isOpen(o) || o.Entry.Task != "Again" {
		t.Errorf("committed: %+v, entry %+v", o, o.Entry)
	}
}

// based starts a session in a repository with a file in an old commit.
func (l *lab) based() *Player {
	l.Write("walk.rs", longLine+"\ntwo\n")
	l.Git("add", "-A")
	l.person("GIT_COMMITTER_DATE='2026-01-02 03:04:05' git commit -qm base")
	p := l.player()
	p.Start("startup")
	return p
}

// person runs commands in a terminal of the user's.
func (l *lab) person(script string) {
	l.T.Helper()
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir, cmd.Env = l.Repo, l.Env
	if out, err := cmd.CombinedOutput(); err != nil {
		l.T.Fatalf("%s: %v\n%s", script, err, out)
	}
}

func (l *lab) backfill() {
	l.T.Helper()
	m, err := l.open(l.Repo)
	if err == nil {
		_, err = commit.Backfill(l.T.Context(), m, commit.BackfillRequest{})
		err = cmpErr(err, m.Close())
	}
	if err != nil {
		l.T.Fatal(err)
	}
}

// isOpen reports whether an origin is an open session, and surely so.
func isOpen(o api.WhyOrigin) bool { return o.Entry != nil && o.Entry.Open && o.Certainty.Sure() }
