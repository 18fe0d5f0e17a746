package hook

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"agentflow/app/list"
	. "agentflow/internal/testing/sessiontest"
)

// look has a command look at sessions.
func (l *lab) look() {
	l.T.Helper()
	m, err := l.open(l.Repo)
	if err != nil {
		l.T.Fatal(err)
	}
	defer m.Close()
	if _, err := list.Log(l.T.Context(), m, list.LogRequest{}); err != nil {
		l.T.Fatal(err)
	}
}

// TestMovedRepository: the repository is moved while a session is open, and no further hook of
// the session arrives. A command at the new path writes the entry.
func TestMovedRepository(t *testing.T) {
	const one = "session: Write it | | A a A b |"
	for name, c := range map[string]struct {
		amid bool   // in the turn, so that the session is over when it has rested
		drop bool   // what the hooks left was not done
		move string // a command; %old and %new are the paths
		want string
	}{
		"between turns":              {false, false, "mv %old %new", one},
		"in a turn":                  {true, false, "mv %old %new", one},
		"before a worker began":      {true, true, "mv %old %new", one},
		"the folder around it":       {false, false, "mkdir -p %new && rmdir %new && mv %old %new", one},
		"to another disk":            {false, false, "cp -a %old %new && rm -rf %old", "session: Write it | | A a | A b"},
		"another has taken its path": {false, false, "mv %old %new && git init -q %old && echo x > %old/a", one},
		"back again":                 {true, false, "mv %old %new && mv %new %old", one},
		"through a link":             {false, false, "mv %old %new-real && ln -s %new-real %new", one},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.later = c.drop
			p := l.player()
			p.Start("startup")
			acts := []Act{Write("a", "x\n"), Run("echo x > b"), Say("Done.")}
			if c.amid {
				p.Ask("Write it", acts...)
				p.Flush()
			} else {
				p.Turn("Write it", acts...)
			}
			l.drop()
			l.later = false
			old, moved := l.Repo, filepath.Join(filepath.Dir(l.Repo), "elsewhere", "moved")
			l.must(os.MkdirAll(filepath.Dir(moved), 0o700))
			cmd := exec.Command("sh", "-c", strings.NewReplacer("%old", old, "%new", moved).Replace(c.move))
			cmd.Env = l.Env
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if _, err := os.Stat(moved); err == nil {
				l.Repo = moved
			}
			if l.look(); c.amid {
				l.restWell(p)
			}
			l.want(c.want)
			for _, list := range l.entries() {
				if len(list.Remarks) > 1 || list.Worktree != "" {
					t.Errorf("work tree %q, remarks %q", list.Worktree, list.Remarks)
				}
			}
			l.wantWhy(l.Repo, "a:1", "shown Write it")
		})
	}
}

// TestMovedRepositoryWithCommits: the agent commits before the repository is moved, and also
// after that, when git cannot write its trace. The entry does not claim the later commit.
func TestMovedRepositoryWithCommits(t *testing.T) {
	l := newLab(t)
	p := l.player()
	p.Start("startup")
	p.Ask("Write it", Write("a", "x\n"), Commit("first", "a"))
	moved := l.Repo + "-moved"
	l.must(os.Rename(l.Repo, moved))
	l.Repo, p.Dir = moved, moved
	p.Lab.Repo = moved
	for _, act := range []Act{Write("b", "x\n"), Commit("second", "b"), Say("Done.")} {
		act(p)
	}
	p.Flush()
	l.restWell(p)
	l.want("session: first | A a | A b | | commit first")
}

// TestMadeAgainRepository: the repository is created again during a session. The old one had
// the data of the session, and the next entry lists the turns since then.
func TestMadeAgainRepository(t *testing.T) {
	l := newLab(t)
	l.failing = true
	p := l.player()
	p.Start("startup")
	p.Skew = -time.Minute
	p.Turn("Write a", Write("a", "x\n"), Say("Done."))
	p.Skew = 0
	l.must(os.RemoveAll(l.Path(".git")))
	l.Git("init", "-q")
	p.Turn("Ask", Say("Answer."))
	p.Turn("Write b", Write("b", "x\n"), Say("Done."))
	p.End("other")
	l.want("session: Write b; then Ask | | A b |?")
}
