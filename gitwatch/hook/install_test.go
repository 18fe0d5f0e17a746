package hook

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// script is a hook that writes its name, its arguments and its standard input to a file, and exits
// with 7.
func script(first, file string) string {
	return first + "\n{ echo \"$0|$*\"; [ \"$1\" != amend ] || cat; } >" + file + "\nexit 7\n"
}

// TestWhatWasThere chains each kind of hook and puts it back as it was.
func TestWhatWasThere(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ownName := ".git/hooks/" + postCommit + "|a b c"
	for name, c := range map[string]struct {
		make func(l *lab, path string)
		ran  string // what it left behind when it ran
		code int
	}{
		"sh":             {func(l *lab, path string) { l.write(path, script("#!/bin/sh", "ran"), 0o755) }, ownName, 7},
		"sh by env":      {func(l *lab, path string) { l.write(path, script("#! /usr/bin/env sh", "ran"), 0o711) }, ownName, 7},
		"another shell":  {func(l *lab, path string) { l.write(path, script("#!/bin/sh -u", "ran"), 0o755) }, ".git/hooks/post-commit.before-agentflow|a b c", 7},
		"no interpreter": {func(l *lab, path string) { l.write(path, script("", "ran"), 0o755) }, ".git/hooks/post-commit.before-agentflow|a b c", 7},
		"CRLF": {func(l *lab, path string) {
			l.write(path, strings.ReplaceAll(script("#!/bin/sh", "ran"), "\n", "\r\n"), 0o755)
		}, "", 127},
		"not executable": {func(l *lab, path string) { l.write(path, script("#!/bin/sh", "ran"), 0o644) }, "", 0},
		"a link to a script": {func(l *lab, path string) {
			l.write(l.path("scripts/dispatch"), script("#!/bin/sh", "ran"), 0o755)
			link(l, "../../scripts/dispatch", path)
		}, ownName, 7},
		"a link to nothing":  {func(l *lab, path string) { link(l, "nothing", path) }, "", 0},
		"a link to a binary": {func(l *lab, path string) { link(l, self, path) }, "program a b c", 7},
		"an empty file":      {func(l *lab, path string) { l.write(path, "", 0o755) }, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			l.env = []string{"RAN=ran"}
			path := l.path(".git/hooks/post-commit")
			c.make(l, path)
			before := l.listing(filepath.Dir(path))
			spots := l.install(l.repo, Installed, Installed)
			if spots[0].Chained != path+".before-agentflow" || spots[1].Chained != "" {
				t.Errorf("chained: %q, %q", spots[0].Chained, spots[1].Chained)
			}
			once := l.listing(filepath.Dir(path))
			l.install(l.repo, Installed, Installed)
			if twice := l.listing(filepath.Dir(path)); twice != once {
				t.Errorf("installed twice:\n%s\nonce:\n%s", twice, once)
			}
			if _, code := l.try(l.repo, ".git/hooks/post-commit", "a b", "c"); code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			ran, _ := os.ReadFile(l.path("ran"))
			// Some shells make the name that they start a program by absolute.
			if left := strings.TrimSuffix(string(ran), "\n"); !strings.HasSuffix(left, c.ran) || c.ran == "" && left != "" {
				t.Errorf("it left %q behind, want %q", ran, c.ran)
			}
			l.expect("ours", l.repo, Event{Kind: KindCommit, New: l.head(l.repo), Worktree: l.repo})
			if gone, left := l.uninstall(l.repo); len(gone) != 2 || len(left) != 0 {
				t.Errorf("gone %q, left %v", gone, left)
			}
			if after := l.listing(filepath.Dir(path)); after != before {
				t.Errorf("after uninstall:\n%s\nbefore:\n%s", after, before)
			}
			if gone, left := l.uninstall(l.repo); len(gone)+len(left) != 0 {
				t.Errorf("a second time: gone %q, left %v", gone, left)
			}
		})
	}
}

func link(l *lab, to, path string) {
	l.Helper()
	if err := os.Symlink(to, path); err != nil {
		l.Fatal(err)
	}
}

// Both a rewrite hook that was there and ours read what git says.
func TestARewriteHookThatWasThere(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"#!/bin/sh", "#!/bin/sh -u"} {
		l := newLab(t)
		l.write(l.path(".git/hooks/post-rewrite"), script(first, "ran"), 0o755)
		l.install(l.repo, Installed, Installed)
		old := l.head(l.repo)
		l.git("commit", "-q", "--amend", "--allow-empty", "-m", "new")
		now := l.head(l.repo)
		l.expect("amend", l.repo, Event{Kind: KindCommit, New: now, Worktree: l.repo},
			Event{Kind: KindRewrite, Old: old, New: now, Worktree: l.repo})
		_, pairs, _ := strings.Cut(l.read(l.path("ran")), "|amend\n")
		if pairs != old+" "+now+"\n" {
			t.Errorf("the hook that was there read %q", pairs)
		}
	}
}

func TestAChangedHookIsLeft(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	path := l.path(".git/hooks/post-commit")
	l.write(path, "#!/bin/sh\n", 0o755)
	l.install(l.repo, Installed, Installed)
	changed := l.read(path) + "echo more\n"
	l.write(path, changed, 0o755)
	l.look(l.repo, Changed, Installed)
	l.install(l.repo, Changed, Installed)
	if gone, left := l.uninstall(l.repo); len(gone) != 1 || len(left) != 1 || left[0].Path != path {
		t.Errorf("gone %q, left %v", gone, left)
	}
	if l.read(path) != changed {
		t.Error("it was changed again")
	}

	// Somebody puts another over ours: neither that one nor what was there
	// before is lost.
	l.write(path, "#!/bin/sh\necho theirs\n", 0o755)
	spots := l.install(l.repo, Off, Installed)
	if !strings.Contains(spots[0].Detail, ".before-agentflow") {
		t.Errorf("detail: %s", spots[0].Detail)
	}
	if gone, left := l.uninstall(l.repo); len(gone) != 1 || len(left) != 1 {
		t.Errorf("gone %q, left %v", gone, left)
	}
	if l.read(path) != "#!/bin/sh\necho theirs\n" || l.read(path+".before-agentflow") != "#!/bin/sh\n" {
		t.Error("one of the two was lost")
	}
}

// An installation may end between any two of its steps.
func TestAnInterruptedInstallation(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	path := l.path(".git/hooks/post-commit")
	l.write(path, "#!/bin/sh\nexit 7\n", 0o755)
	before := l.listing(filepath.Dir(path))
	interrupt := func() {
		if err := os.Rename(path, path+".before-agentflow"); err != nil {
			t.Fatal(err)
		}
	}
	interrupt()
	l.uninstall(l.repo)
	if after := l.listing(filepath.Dir(path)); after != before {
		t.Errorf("uninstalled:\n%s\nbefore:\n%s", after, before)
	}
	interrupt()
	l.install(l.repo, Installed, Installed)
	if _, code := l.try(l.repo, ".git/hooks/post-commit"); code != 7 {
		t.Errorf("exit code %d", code)
	}
	l.uninstall(l.repo)
	if after := l.listing(filepath.Dir(path)); after != before {
		t.Errorf("uninstalled:\n%s\nbefore:\n%s", after, before)
	}
}

func TestAnOldHookIsMadeNew(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	path := l.path(".git/hooks/post-commit")
	l.write(path, string(signed("exit 0\n")), 0o644)
	l.look(l.repo, Broken, Missing) // no folder for notes
	l.install(l.repo, Installed, Installed)
	l.write(path, string(signed("exit 0\n")), 0o755)
	l.look(l.repo, Outdated, Installed)
	l.install(l.repo, Installed, Installed)
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	l.look(l.repo, Broken, Installed)
	l.install(l.repo, Installed, Installed)
	l.git("commit", "-q", "--allow-empty", "-m", "x")
	if got := l.taken(l.repo); len(got) != 1 {
		t.Errorf("noted %+v", got)
	}
}

// Two that install at once do not keep ours as what was there before.
func TestInstallationsAtOnce(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	path := l.path(".git/hooks/post-commit")
	l.write(path, "#!/bin/sh\nexit 7\n", 0o755)
	place := l.place(l.repo)
	var crowd sync.WaitGroup
	for range 4 {
		crowd.Go(func() {
			if _, err := Install(context.Background(), place); err != nil {
				t.Error(err)
			}
		})
	}
	crowd.Wait()
	if before := l.read(path + ".before-agentflow"); before != "#!/bin/sh\nexit 7\n" {
		t.Errorf("kept:\n%s", before)
	}
}

func TestNotesOutliveUninstall(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	l.install(l.repo, Installed, Installed)
	l.git("commit", "-q", "--allow-empty", "-m", "x")
	l.uninstall(l.repo)
	l.git("commit", "-q", "--allow-empty", "-m", "y")
	if got := l.taken(l.repo); len(got) != 1 || got[0].New != l.git("rev-parse", "HEAD~") {
		t.Errorf("took %+v", got)
	}
	l.uninstall(l.repo)
	if _, err := os.Stat(filepath.Join(l.place(l.repo).State(), folderName)); err == nil {
		t.Error("the folder stays though nothing is in it")
	}
	place := l.place(l.repo)
	place.CommonDir = ""
	if _, err := Install(context.Background(), place); err == nil {
		t.Error("hooks were installed outside git")
	}
}
