package hook

import (
	"path/filepath"
	"strings"
	"testing"

	. "agentflow/internal/testing/sessiontest"
)

// TestRemovedWorkTree: a session commits in its linked working tree, merges, and removes
// the working tree before it ends. The next command in another one writes its entry.
func TestRemovedWorkTree(t *testing.T) {
	for name, c := range map[string]struct{ ends, at, entry string }{
		"removed":               {"git -C %main merge -q topic; git worktree remove --force %tree", "%main", "session: new | A new.txt | | | commit new"},
		"and its branch":        {"git -C %main merge -q topic; git -C %main worktree remove --force %tree; git -C %main branch -q -d topic", "%main", "session: new | A new.txt | | | commit new"},
		"its folder is gone":    {"git -C %main merge -q topic; rm -rf %tree", "%main", "session: new | A new.txt | | | commit new"},
		"moved":                 {"git worktree move %tree %tree-moved", "%tree-moved", "session: new | A new.txt | A open.txt | | commit new"},
		"another took its name": {"git -C %main merge -q topic; git -C %main worktree remove --force %tree; mkdir %main/../x; git -C %main worktree add -q --detach %main/../x/tree", "%main", "session: new | A new.txt | | | commit new"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			tree := filepath.Join(filepath.Dir(l.Repo), "tree")
			l.Git("worktree", "add", "-q", "-b", "topic", tree)
			in := strings.NewReplacer("%main", l.Repo, "%tree", tree)
			p := New(l.In(tree), l.hook)
			p.Start("startup")
			p.Ask("Change it", Write("new.txt", "new\n"), Write("open.txt", "open\n"), Commit("new", "new.txt"), Run(in.Replace(c.ends)), Say("Merged."))
			p.Flush() // no hook can be started in a folder that is gone
			l.restWell(p)
			l.want(c.entry)
			l.wantWhy(in.Replace(c.at), "new.txt:1", "shown new")
			if e := l.entries()[0]; e.Worktree != "tree" || e.Branch != "topic" {
				t.Errorf("work tree %q, branch %q", e.Worktree, e.Branch)
			}
		})
	}
}

// TestRemovedBeforeItBegan: the working tree is removed before any worker has begun a segment
// of the session.
func TestRemovedBeforeItBegan(t *testing.T) {
	l := newLab(t)
	tree := filepath.Join(filepath.Dir(l.Repo), "tree")
	l.Git("worktree", "add", "-q", "-b", "topic", tree)
	p := New(l.In(tree), l.hook)
	l.later = true // and is killed
	p.Start("startup")
	p.Ask("Change it", Write("new.txt", "new\n"), Commit("new", "new.txt"), Run("git -C "+l.Repo+" merge -q topic; git worktree remove --force "+tree), Say("Merged."))
	p.Flush()
	l.drop()
	l.restWell(p)
	l.want("session: new | A new.txt | | | commit new")
	l.wantWhy(l.Repo, "new.txt:1", "shown new")
}
