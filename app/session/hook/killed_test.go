package hook

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"agentflow/app/list"
	. "agentflow/internal/testing/sessiontest"
)

// drop forgets the work that hooks left, as if its processes were killed at once.
func (l *lab) drop() { l.left = nil }

// restWell lets half an hour pass for every session, and has a command look.
func (l *lab) restWell(p *Player) {
	l.T.Helper()
	names, err := filepath.Glob(l.Path(".git/agentflow/sessions/*/*"))
	before := time.Now().Add(-31 * time.Minute)
	for _, name := range append(names, p.Transcript()) {
		if err == nil {
			err = os.Chtimes(name, before, before)
		}
	}
	m, openErr := l.open(l.Repo)
	if err != nil || openErr != nil {
		l.T.Fatal(err, openErr)
	}
	defer m.Close()
	for range 2 {
		if _, err := list.Log(l.T.Context(), m, list.LogRequest{}); err != nil {
			l.T.Fatal(err)
		}
	}
}

// TestWorkThatIsKilled: if any work is killed between two hooks, each turn with changes is
// recorded once.
func TestWorkThatIsKilled(t *testing.T) {
	for name, c := range map[string]struct {
		play func(l *lab, p *Player)
		want []string
	}{
		"all of it, in two turns": {func(l *lab, p *Player) {
			p.Turn("Write the first", Write("a", "x\n"), Say("Done."))
			l.drop()
			p.Turn("Write the second", Write("b", "x\n"), Say("Done."))
			l.drop()
			p.End("other")
			l.work()
		}, []string{"session: Write the first; then Write the second | | A a A b |"}},
		"all of it, and the agent": {func(l *lab, p *Player) {
			p.Turn("Write the first", Write("a", "x\n"), Say("Done."))
			p.Turn("Write the second", Write("b", "x\n"), Say("Done."))
			l.drop()
			l.restWell(p)
		}, []string{"session: Write the first; then Write the second | | A a A b |"}},
		"all before a compaction, whose hooks change places": {func(l *lab, p *Player) {
			p.Turn("Write the first", Write("a", "x\n"), Say("Done."))
			l.drop()
			p.Compact()
			slices.Reverse(l.left)
			l.work()
			p.End("other")
			l.work()
		}, []string{"session: Write the first | | A a |"}},
		"before the state names the segment that begins": {func(l *lab, p *Player) {
			l.work()
			state := filepath.Join(l.Path(".git/agentflow/sessions"), "claude-"+p.ID, "session.json")
			before, err := os.ReadFile(state)
			if err != nil {
				l.T.Fatal(err)
			}
			p.Turn("Write the first", Write("a", "x\n"), Commit("first", "a"), Say("Done."))
			l.work()
			if err := os.WriteFile(state, before, 0o600); err != nil {
				l.T.Fatal(err)
			}
			p.Turn("Write the second", Write("b", "x\n"), Say("Done."))
			l.work()
			l.restWell(p)
		}, []string{"session: first | A a | | | commit first", "session: Write the second | | A b |"}},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			l.later = true
			p := l.player()
			p.Start("startup")
			c.play(l, p)
			l.want(c.want...)
		})
	}
}

// TestAStartHookThatWasKilled: without it git traces nothing, and the reflog shows which
// commits came after the first hook that arrived.
func TestAStartHookThatWasKilled(t *testing.T) {
	for name, c := range map[string]struct {
		drop bool // the work of the first prompt is killed too
		acts []Act
		want string
	}{
		"a commit":                       {false, []Act{Write("a", "x\n"), Commit("first", "a")}, "session: Write it | | A a | | perhaps first"},
		"a commit, and the worker too":   {true, []Act{Write("a", "x\n"), Commit("first", "a")}, "session: Write it | | A a | | perhaps first"},
		"no commit, and the worker too":  {true, []Act{Write("a", "x\n")}, "session: Write it | | A a |"},
		"another branch, and the worker": {true, []Act{Write("a", "x\n"), Run("git switch -q -c topic"), Commit("first", "a")}, "session: Write it | | A a | | perhaps first"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			l.Env = append(l.Env, fmt.Sprintf("GIT_COMMITTER_DATE=@%d +0000", time.Now().Add(-time.Minute).Unix()))
			l.Git("commit", "-q", "--amend", "-m", "a minute ago")
			l.Env = l.Env[:len(l.Env)-1]
			l.Git("reflog", "expire", "--expire=all", "HEAD")
			l.later = true
			p := l.player()
			p.Ask("Write it")
			if c.drop {
				l.drop()
			}
			l.work()
			for _, act := range append(c.acts, Say("Done.")) {
				act(p)
			}
			p.Stop()
			l.work()
			p.End("other")
			l.work()
			l.want(c.want)
		})
	}
}

// TestWorkThatIsLate: the remaining work of a turn is done after the next turn has begun, and
// only covers the first turn.
func TestWorkThatIsLate(t *testing.T) {
	l := newLab(t)
	p := l.player()
	p.Start("startup")
	l.later = true
	p.Turn("Write the first", Write("a", "x\n"), Commit("first", "a"), Say("Done."))
	late := l.left
	l.left = nil
	p.Ask("Write the second", Write("b", "x\n"), Commit("second", "b"), Say("Done."))
	p.Flush()
	l.left = append(late, l.left...)
	l.work()
	p.Stop()
	l.work()
	l.want("session: first | A a | | A b | commit first", "session: second | A b | | | commit second")
}
