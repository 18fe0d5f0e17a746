package hook

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// hooksPath sets core.hooksPath.
func (l *lab) hooksPath(value string) { l.Helper(); l.git("config", "core.hooksPath", value) }

func (l *lab) commitNoted(what, dir string, want int) {
	l.Helper()
	l.run(dir, "git", "commit", "-q", "--allow-empty", "-m", what)
	if got := l.taken(l.repo); len(got) != want || want > 0 && got[0].New != l.head(dir) {
		l.Errorf("%s: noted %+v, want %d", what, got, want)
	}
}

func TestAnAbsoluteHooksPath(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	shared := filepath.Join(filepath.Dir(l.repo), "not made yet", "hooks")
	l.hooksPath(shared)
	spots := l.install(l.repo, Installed, Installed)
	if !spots[0].Shared || spots[0].Path != filepath.Join(shared, postCommit) {
		t.Errorf("%+v", spots[0])
	}
	linked := filepath.Join(filepath.Dir(l.repo), "linked")
	l.git("worktree", "add", "-q", linked)
	l.commitNoted("in the main work tree", l.repo, 1)
	l.commitNoted("in the linked one", linked, 1)
	l.write(l.path(".git/worktrees/linked/gitdir"), "../../../../linked/.git\n", 0o644) // as newer versions of git may
	l.expect("nothing", l.repo)
	if path := worktreePath(l.path(".git"), "linked"); path != linked {
		t.Errorf("the linked work tree is at %q", path)
	}

	// Another repository that uses the folder, but not agentflow.
	other := filepath.Join(filepath.Dir(l.repo), "other")
	l.run(filepath.Dir(l.repo), "git", "init", "-q", other)
	l.run(other, "git", "config", "core.hooksPath", shared)
	l.run(other, "git", "commit", "-q", "--allow-empty", "-m", "x")
	if _, err := os.Stat(filepath.Join(other, ".git", "agentflow")); err == nil {
		t.Error("something was noted where agentflow is not used")
	}

	// It is found again though the setting is gone.
	l.git("config", "--unset", "core.hooksPath")
	if gone, _ := l.uninstall(l.repo); len(gone) != 2 || l.listing(shared) != "" {
		t.Errorf("gone %q, left %s", gone, l.listing(shared))
	}
}

func TestAGlobalHooksPath(t *testing.T) {
	l := newLab(t)
	home := filepath.Dir(l.repo)
	l.write(filepath.Join(home, ".gitconfig"), "[core]\n\thooksPath = ~/hooks\n", 0o600)
	l.write(filepath.Join(home, "hooks", postCommit), "#!/bin/sh\ntouch ran\n", 0o755)
	t.Setenv("HOME", home)
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(home, ".gitconfig"))
	before := l.listing(filepath.Join(home, "hooks"))
	spots := l.install(l.repo, Installed, Installed)
	if !spots[0].Shared || spots[0].Chained == "" {
		t.Errorf("%+v", spots[0])
	}
	l.commitNoted("by the global hook", l.repo, 1)
	l.read(l.path("ran"))
	l.uninstall(l.repo)
	if after := l.listing(filepath.Join(home, "hooks")); after != before {
		t.Errorf("after uninstall:\n%s\nbefore:\n%s", after, before)
	}
}

func TestARelativeHooksPath(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.hooksPath("my hooks[1]")
	spots := l.look(l.repo, Off, Off)
	if !strings.Contains(spots[0].Detail, "relative") {
		t.Errorf("detail: %s", spots[0].Detail)
	}
	l.write(l.path("my hooks[1]/pre-commit"), "#!/bin/sh\n", 0o755)
	l.git("add", ".")
	l.git("commit", "-q", "-m", "hooks")
	l.write(l.path("my hooks[1]/post-commit"), "#!/bin/sh\ntouch .git/ran\n", 0o755)
	exclude := l.read(l.path(".git/info/exclude"))
	l.install(l.repo, Installed, Installed)
	l.commitNoted("beside tracked hooks", l.repo, 1)
	l.read(l.path(".git/ran"))
	if out := l.git("status", "--porcelain", "-uall"); out != "" {
		t.Errorf("git shows %s", out)
	}

	// A linked work tree has the tracked hooks, but not ours.
	linked := filepath.Join(filepath.Dir(l.repo), "linked")
	l.git("worktree", "add", "-q", linked)
	l.look(l.repo, Installed, Installed, Missing, Missing)
	l.install(linked, Installed, Installed, Installed, Installed)
	l.commitNoted("in the linked work tree", linked, 1)
	l.uninstall(linked)
	if out := l.git("status", "--porcelain", "-uall"); out != `?? "my hooks[1]/post-commit"` {
		t.Errorf("git shows %s", out)
	}
	if now := l.read(l.path(".git/info/exclude")); now != exclude {
		t.Errorf("info/exclude is %q, was %q", now, exclude)
	}

	// What git tracks is not touched.
	l.git("add", ".")
	l.git("commit", "-q", "-m", "more hooks")
	spots = l.install(l.repo, Wanted, Installed, Installed, Installed)
	if spots[0].AddTo != l.path("my hooks[1]/post-commit") {
		t.Errorf("%+v", spots[0])
	}
	if out := l.git("status", "--porcelain", "-uall"); out != "" {
		t.Errorf("git shows %s", out)
	}
	l.write(spots[0].AddTo, l.read(spots[0].AddTo)+spots[0].Add, 0o755)
	l.look(l.repo, ByHand, Installed, Installed, Installed)
	l.commitNoted("by the line that was to be added", l.repo, 1)
	if _, left := l.uninstall(l.repo); len(left) != 1 {
		t.Errorf("left: %v", left)
	}
	if out, code := l.try(l.repo, spots[0].AddTo); out != "" || code != 0 {
		t.Errorf("without agentflow the line says %q, exit code %d", out, code)
	}
}

func TestHooksThatAreOff(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.hooksPath(os.DevNull)
	spots := l.install(l.repo, Off, Off)
	if !strings.Contains(spots[0].Detail, "no folder") {
		t.Errorf("detail: %s", spots[0].Detail)
	}
	l.hooksPath(".git/hooks") // which a linked work tree has not
	l.git("worktree", "add", "-q", filepath.Join(filepath.Dir(l.repo), "linked"))
	l.install(l.repo, Installed, Installed, Off, Off)
}
