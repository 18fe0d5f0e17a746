//go:build e2e

package hook

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// managersLab is a repository with a real hook manager on PATH, and what
// starts that.
func managersLab(t *testing.T, name string) (l *lab, manager func(args ...string)) {
	t.Helper()
	modules := os.Getenv("HOOK_MANAGERS")
	if !filepath.IsAbs(modules) {
		t.Fatal("HOOK_MANAGERS must be the absolute path of node_modules with husky and lefthook; `make e2e` installs them and sets it")
	}
	bin := filepath.Join(modules, ".bin")
	l = newLabIn(t, "a 'b' é") // lefthook reads what git says by lines
	l.env = []string{"PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH")}
	return l, func(args ...string) { l.Helper(); l.run(l.repo, filepath.Join(bin, name), args...) }
}

// noted makes a commit and amends it, and insists that both were noted.
func (l *lab) noted(what, dir string) {
	l.Helper()
	l.run(dir, "git", "commit", "-q", "--allow-empty", "-m", what)
	old := l.head(dir)
	l.run(dir, "git", "commit", "-q", "--amend", "--allow-empty", "-m", what+" again")
	now := l.head(dir)
	linked := l.place(dir).Linked
	l.expect(what, dir, Event{Kind: KindCommit, New: old, Worktree: dir, Linked: linked},
		Event{Kind: KindCommit, New: now, Worktree: dir, Linked: linked},
		Event{Kind: KindRewrite, Old: old, New: now, Worktree: dir, Linked: linked})
}

func TestE2EHusky(t *testing.T) {
	t.Parallel()
	l, runHusky := managersLab(t, "husky")
	l.install(l.repo, Installed, Installed)
	l.noted("before husky", l.repo)
	runHusky()
	l.look(l.repo, Missing, Missing)
	l.install(l.repo, Installed, Installed)
	l.noted("beside husky", l.repo)
	runHusky()
	if spots := l.look(l.repo, Installed, Installed); spots[0].Manager != husky {
		t.Errorf("%+v", spots[0])
	}
	l.noted("after husky was installed again", l.repo)
	if out := l.git("status", "--porcelain", "-uall"); out != "" {
		t.Errorf("git shows %s", out)
	}

	linked := filepath.Join(filepath.Dir(l.repo), "linked")
	l.git("worktree", "add", "-q", linked)
	if spots := l.look(l.repo, Installed, Installed, Off, Off); !strings.Contains(spots[2].Detail, "relative") {
		t.Errorf("in a linked work tree: %s", spots[2].Detail)
	}
	l.git("worktree", "remove", linked)

	husky := l.listing(l.path(".husky/_"))
	if gone, left := l.uninstall(l.repo); len(gone) != 4 || len(left) != 0 { // also those in .git/hooks
		t.Errorf("gone %q, left %v", gone, left)
	}
	if l.listing(l.path(".husky/_")) != husky {
		t.Error("husky's own hooks were changed")
	}

	// A hook of the team's, which git tracks.
	l.write(l.path(".husky/post-commit"), "echo team >>.git/ran\n", 0o644)
	l.write(l.path(".husky/post-rewrite"), "echo rewritten >>.git/ran\n", 0o644)
	l.git("add", ".")
	l.git("commit", "-q", "-m", "hooks")
	for _, s := range l.install(l.repo, Wanted, Wanted) {
		l.write(s.AddTo, l.read(s.AddTo)+s.Add, 0o644)
	}
	l.look(l.repo, ByHand, ByHand)
	l.noted("from the team's hook", l.repo)
	if ran := l.read(l.path(".git/ran")); ran != "team\nteam\nteam\nrewritten\n" {
		t.Errorf("the team's hooks said %q", ran)
	}
}

func TestE2ELefthook(t *testing.T) {
	t.Parallel()
	l, runLefthook := managersLab(t, "lefthook")
	settings := l.path("lefthook.yml")
	l.write(settings, "pre-commit:\n  commands:\n    say:\n      run: echo checked\n", 0o644)
	runLefthook("install")
	l.install(l.repo, Installed, Installed)
	l.noted("beside lefthook", l.repo)
	l.write(settings, l.read(settings)+"commit-msg:\n  commands:\n    say:\n      run: echo fine\n", 0o644)
	runLefthook("install", "--force")
	l.look(l.repo, Installed, Installed)
	l.noted("after lefthook was installed again", l.repo)

	// The team's settings take these hooks over, and lefthook moves ours away.
	more := "post-commit:\n  commands:\n    say:\n      run: echo team\npost-rewrite:\n  commands:\n    say:\n      run: echo team\n"
	l.write(settings, l.read(settings)+more, 0o644)
	runLefthook("install", "--force")
	spots := l.install(l.repo, Wanted, Wanted)
	if spots[0].AddTo != spots[1].AddTo {
		t.Fatalf("%+v", spots)
	}
	l.write(spots[0].AddTo, spots[0].Add+spots[1].Add, 0o644)
	runLefthook("install", "--force")
	l.look(l.repo, ByHand, ByHand)
	l.noted("from lefthook's settings", l.repo)
	if gone, left := l.uninstall(l.repo); len(gone) != 2 || len(left) != 2 {
		t.Errorf("gone %q, left %v", gone, left)
	}
	runLefthook("uninstall")
	if got := l.listing(l.path(".git/hooks")); got != "" {
		t.Errorf("left:\n%s", got)
	}
}
